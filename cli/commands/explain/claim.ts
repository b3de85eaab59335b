/** `explain claim/X`. */
import { diagnose } from '../../../shared/explain/diagnosis.ts';
import { beganIn, causeIn } from './began.ts';
import { factsOf } from './facts.ts';
import { type Gathered, gather, type Sources, type Where } from './gather.ts';
import { stagesOf } from './stages.ts';
import type { Explained } from './told.ts';

export async function explainClaim(sources: Sources, where: Where, name: string, uid?: string): Promise<Explained> {
  const gathered = await gather(sources, where, name, uid);
  const began = beganIn(gathered.host?.decisions ?? []) ?? (await beganByInput(sources, gathered));
  return {
    what: `claim/${name} in cluster ${gathered.clusterName}`,
    diagnosis: diagnose(factsOf(gathered)),
    began,
    stages: stagesOf(gathered),
    gathered,
  };
}

/** Decisions are kept for a while only; a workflow that runs keeps what it was started with. */
async function beganByInput({ host }: Sources, { host: told }: Gathered): Promise<Explained['began']> {
  const running = told?.workflows.findLast(({ status }) => status === 'running');
  if (!host || !running) return undefined;
  const path = `/v1/workflows/${running.id}`;
  const shown = await host.ask<{ input?: { cause?: unknown } }>('GET', path).catch(() => undefined);
  const cause = causeIn(shown?.input?.cause);
  return cause && { workflow: running.workflow === 'terminate' ? 'terminate' : 'launch', ...cause };
}

/** What `--json` shows: names that stay. */
export function explainedData({ what, diagnosis, began, stages, gathered }: Explained) {
  const { clusterName, name, uid, host, cluster, letters, missing } = gathered;
  const iso = (at: number | undefined) => (at === undefined ? {} : { at: new Date(at).toISOString() });
  const { since, until, ...said } = diagnosis;
  return {
    what,
    cluster: clusterName,
    name,
    uid,
    diagnosis: {
      ...said,
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    },
    ...(began ? { began: { ...began, ...iso(began.at) } } : {}),
    stages: stages.map((stage) => ({ name: stage.name, ...iso(stage.at) })),
    decisions: host?.decisions ?? [],
    workflows: host?.workflows ?? [],
    pauses: host?.pauses ?? [],
    ...(host ? { standing: host.standing } : {}),
    ...(host?.ours === undefined ? {} : { ours: host.ours }),
    conditions: cluster?.claim?.status?.conditions ?? [],
    events: (cluster?.events ?? []).map((event) => ({ ...event, ...iso(event.at) })),
    deadLetters: letters.map(({ id, reason }) => ({ id, reason })),
    missing,
  };
}
