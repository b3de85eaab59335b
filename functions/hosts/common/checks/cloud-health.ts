/**
 * Whether clouds answer, as providers report it. It is kept in state when it changes, because the process that is asked for it is often
 * another one than that which calls the cloud. It never makes a host unready: other clouds go on.
 */
import type { Clock } from '../../../../shared/base/runtime.ts';
import type { Metrics } from '../../../../shared/observe/metrics.ts';
import type { CloudReports } from '../../../../shared/providers/cloud-reports.ts';
import type { State } from '../../../../shared/state/contract.ts';

export interface CloudHealthParts {
  cluster: string;
  metrics: Metrics;
  state: State;
  clock: Clock;
}

type Problem = { message: string; at: number };

const prefix = 'cloud-health/';
/** Nobody knows any more after that: the process that saw it may be gone. */
const keptSeconds = 900;
/** A cloud that is still away is written down again. */
const againMs = 300_000;

export function cloudReports({ cluster, metrics, state, clock }: CloudHealthParts): CloudReports {
  /** Undefined: not known yet. */
  let up: boolean | undefined;
  let writtenAt = 0;
  const write = async (problem: string | undefined): Promise<void> => {
    const key = `${prefix}${cluster}`;
    // What can't be written is written with the next change; the metric has it.
    const written =
      problem === undefined
        ? state.delete(key)
        : state.put(key, { message: problem.slice(0, 500), at: clock.now() }, { ttlSeconds: keptSeconds });
    await written.catch(() => undefined);
  };
  return {
    called: (command, code) => {
      metrics.cloudStackApiCalls.inc({ cluster, command });
      if (code !== undefined) metrics.cloudStackApiErrors.inc({ cluster, command, code });
    },
    created: (seconds) => {
      metrics.cloudStackVmsCreated.inc({ cluster });
      metrics.cloudStackProvisionDuration.observe({ cluster }, seconds);
    },
    deleted: () => metrics.cloudStackVmsDeleted.inc({ cluster }),
    lookedUp: (fromMemory) =>
      (fromMemory ? metrics.cloudStackCacheHits : metrics.cloudStackCacheMisses).inc({ cluster }),
    answers: (problem) => {
      const isUp = problem === undefined;
      const due = up !== isUp || (!isUp && clock.now() - writtenAt >= againMs);
      metrics.cloudStackUp.set({ cluster }, isUp ? 1 : 0);
      if (!due) return;
      up = isUp;
      writtenAt = clock.now();
      void write(problem);
    },
  };
}

/** By the name of the check; only clouds that do not answer. */
export async function cloudChecks(state: State): Promise<Record<string, { ok: boolean; message?: string }>> {
  const checks: Record<string, { ok: boolean; message?: string }> = {};
  const page = await state.list<Problem>(prefix, { limit: 500 });
  for (const { key, value } of page.items) {
    checks[`cloudstack of cluster ${key.slice(prefix.length)}`] = { ok: false, message: value.message };
  }
  return checks;
}
