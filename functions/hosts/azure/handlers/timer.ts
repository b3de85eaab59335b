/** One tick of a timer, for all clusters. */
import type { InvocationContext, Timer } from '@azure/functions';
import { reconcilers } from '../../../catalog.ts';
import { clustersOf, intervals, isServed } from '../../common/timer-clusters.ts';
import { withHeartbeat } from '../../common/with-heartbeat.ts';
import { serve } from '../serve.ts';
import { tidy } from '../tidy.ts';
import { tickOf } from '../timer-plan.ts';
import { type AzureWorker, MisconfiguredError } from '../worker.ts';

export const handleTimer = (
  name: string,
  timer: Timer,
  context: InvocationContext,
  durableClient: unknown,
): Promise<void> =>
  serve(context, durableClient, async (opened) => {
    // A run that fails is seen; a tick that is silently left out is not.
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    const { log } = opened.worker.functions;
    if (timer.isPastDue) log.child({ function: name }).write('timer.late');
    await onTick(opened.worker, name);
  });

async function onTick(worker: AzureWorker, name: string): Promise<void> {
  const { config } = worker.settings;
  const entry = reconcilers.find((one) => one.name === name);
  if (!entry) throw new Error(`there is no timer ${name}`);
  const { every, offset, load } = entry;
  const clusters = clustersOf(config, every).filter((one) => isServed(worker.functions, one.name));
  const tick = tickOf(config, every, offset);
  await worker.timers.run({ timer: withHeartbeat(await load(), intervals(clusters, tick)), clusters, tick });
}

export const handleTidy = (context: InvocationContext, durableClient: unknown): Promise<void> =>
  serve(context, durableClient, async (opened) => {
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    const { functions, state, workflows, settings } = opened.worker;
    const tidied = await tidy({
      clock: functions.clock,
      sweep: (limit) => state.sweep(limit),
      purge: async (startedBefore) => workflows().client.purge(startedBefore),
      retentionSeconds: settings.config.workflow.retention,
    });
    functions.log.child({ function: 'tidy' }).write('host.tidied', { ...tidied });
  });
