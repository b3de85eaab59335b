/** One tick of a schedule, for all clusters. */
import { beating } from '../../common/beating.ts';
import { timerCatalogue } from '../../common/timer-catalogue.ts';
import { clustersOf, intervals } from '../../common/timer-clusters.ts';
import { TimerRounds } from '../../common/timer-rounds.ts';
import { framed, type WorkerContext } from '../frame.ts';
import { one } from '../one-at-a-time.ts';
import { timeLeftMs } from '../time-left.ts';
import { type AwsWorker, MisconfiguredError } from '../worker.ts';

/** EventBridge has no shorter schedule. */
const tick = { seconds: 60 };
/** What must not overlap with the next tick ends before it. */
const shortMs = 50_000;
/** These list whole clusters, which may take longer than a tick; the next one then finds them at work and leaves them alone. */
const long: ReadonlySet<string> = new Set(['resync', 'offerings', 'garbage-collection']);
const garbageCollection = 'garbage-collection';

const reconcilers = timerCatalogue.filter(({ every }) => every !== garbageCollection).map(({ every }) => every);

export const reconcile = framed('all', async (event: unknown, context): Promise<void> => {
  const timer = timerOf(event);
  const known: readonly string[] = reconcilers;
  if (timer === undefined || !known.includes(timer)) {
    const names = known.join(', ');
    throw new Error(`the schedule must bring {"timer": …} with one of ${names}; it brought ${JSON.stringify(event)}`);
  }
  await round(timer, context);
});

export const collectGarbage = framed('all', (_: unknown, context): Promise<void> => round(garbageCollection, context));

async function round(timer: string, context: WorkerContext): Promise<void> {
  // A run that fails is seen, and an alarm counts it; a tick that is silently left out is not.
  if (!context.opened.ok) throw new MisconfiguredError(context.opened.text);
  await run(context.opened.worker, timer, timeLeftMs(context));
}

async function run({ functions, settings }: AwsWorker, name: string, leftMs: number): Promise<void> {
  const entry = timerCatalogue.find(({ every }) => every === name);
  if (!entry) throw new Error(`there is no timer ${name}`);
  const isLong = long.has(name);
  const clusters = clustersOf(settings.config, entry.every).filter(
    (cluster) => functions.cluster(cluster.name) !== undefined,
  );
  // Within `one`: a tick that finds another one at work has not run.
  const timer = beating(await entry.load(), intervals(clusters, tick));
  const failed = await new TimerRounds(functions).run({
    timer: isLong ? one(timer, leftMs) : timer,
    clusters,
    tick,
    endsAfterMs: isLong ? leftMs : Math.min(leftMs, shortMs),
  });
  // Every cluster has had its turn, and nobody repeats the call: this is for the alarm, which counts calls that fail.
  if (failed.length > 0) {
    throw new Error(`${name}: ${failed.map(({ cluster, problem }) => `cluster ${cluster}: ${problem}`).join('; ')}`);
  }
}

function timerOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('timer' in event)) return undefined;
  return typeof event.timer === 'string' ? event.timer : undefined;
}
