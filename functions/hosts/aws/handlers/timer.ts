/** One tick of a schedule, for all clusters. */
import { reconcilers as all, reconcilerOf, type TimerName } from '../../../catalog.ts';
import { clustersOf, intervals, isServed } from '../../common/timer-clusters.ts';
import { TimerRounds } from '../../common/timer-rounds.ts';
import { withHeartbeat } from '../../common/with-heartbeat.ts';
import { framed, type WorkerContext } from '../frame.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { timeLeftMs } from '../time-left.ts';
import { type AwsWorker, MisconfiguredError } from '../worker.ts';

/** EventBridge has no shorter schedule. */
const tick = { seconds: 60 };
/** What must not overlap with the next tick ends before it. */
const shortMs = 50_000;
const garbageCollection = 'garbage-collection' satisfies TimerName;

const reconcilers = all.map(({ every }) => every).filter((every) => every !== garbageCollection);

export const reconcile = framed('all', async (event: unknown, context): Promise<void> => {
  const timer = timerOf(event);
  const known = reconcilers.find((every) => every === timer);
  if (known === undefined) {
    const names = reconcilers.join(', ');
    throw new Error(`the schedule must send {"timer": …} with one of ${names}; it sent ${JSON.stringify(event)}`);
  }
  await round(known, context);
});

export const collectGarbage = framed('all', (_: unknown, context): Promise<void> => round(garbageCollection, context));

async function round(timer: TimerName, context: WorkerContext): Promise<void> {
  // A run that fails is seen, and an alarm counts it; a tick that is silently left out is not.
  if (!context.opened.ok) throw new MisconfiguredError(context.opened.text);
  await run(context.opened.worker, timer, timeLeftMs(context));
}

async function run({ functions, settings }: AwsWorker, name: TimerName, leftMs: number): Promise<void> {
  const { load, long: isLong = false } = reconcilerOf(name);
  const clusters = clustersOf(settings.config, name).filter((cluster) => isServed(functions, cluster.name));
  // Within `oneAtATime`: a tick that finds another one at work has not run.
  const timer = withHeartbeat(await load(), intervals(clusters, tick));
  const failed = await new TimerRounds(functions).run({
    timer: isLong ? oneAtATime(timer, leftMs) : timer,
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
