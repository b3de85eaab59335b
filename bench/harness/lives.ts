/** Whole lives of claims, timed: from the first create to the last Ready, and from the first delete until all are gone. */
import type { Calls } from './calls.ts';
import type { Stage } from './stage.ts';

export interface Lives {
  count: number;
  launchSeconds: number;
  terminateSeconds: number;
  launchCalls: Calls;
  terminateCalls: Calls;
}

/** `agent` names whose calls are counted. */
export async function liveOnce(stage: Stage, agent: string, prefix: string, count: number): Promise<Lives> {
  const { world, load } = stage;
  const launch = await timed(stage, agent, async () => {
    const ready = world.until('ready', count);
    await load.create(prefix, count);
    return ready;
  });
  const terminate = await timed(stage, agent, async () => {
    const gone = world.until('claims', 0);
    await load.remove(prefix, count);
    return gone;
  });
  return {
    count,
    launchSeconds: launch.seconds,
    terminateSeconds: terminate.seconds,
    launchCalls: launch.calls,
    terminateCalls: terminate.calls,
  };
}

async function timed(
  { world }: Stage,
  agent: string,
  work: () => Promise<number>,
): Promise<{ seconds: number; calls: Calls }> {
  await world.resetCalls();
  const from = Date.now();
  const to = await work();
  return { seconds: (to - from) / 1000, calls: await world.calls(agent) };
}

export const perSecond = ({ count, launchSeconds, terminateSeconds }: Lives): number =>
  count / (launchSeconds + terminateSeconds);
