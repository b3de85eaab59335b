/** `explain claim/X`. */
import { defined } from '../../../shared/base/defined.ts';
import { gather, type Sources, type Where } from './gather.ts';
import type { Explained } from './render-claim.ts';

export async function explainClaim(sources: Sources, where: Where, name: string, uid?: string): Promise<Explained> {
  const { answer, missing } = await gather(sources, where, name, { uid });
  return { what: `claim/${name} in cluster ${answer.cluster}`, answer, missing };
}

/** What `--json` shows: names that stay. */
export function explainedData({ what, answer, missing }: Explained) {
  const { cluster, name, uid, diagnosis, began, stages, decisions, workflows, pauses, standing, ours } = answer;
  const { fix, ...said } = diagnosis;
  return {
    what,
    cluster,
    name,
    uid,
    diagnosis: { ...said, cure: fix },
    ...(began ? { began } : {}),
    stages,
    decisions,
    workflows,
    pauses,
    ...(standing ? { standing } : {}),
    ...defined({ ours }),
    conditions: answer.conditions,
    events: answer.events,
    deadLetters: answer.deadLetters.map(({ id, reason }) => ({ id, reason })),
    missing,
  };
}
