/** From what was gathered to the facts of a diagnosis. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import type { DiagnosisFacts } from '../../../shared/explain/diagnosis.ts';
import { findError } from '../../../shared/observe/errors/catalogue.ts';
import { nodeFact } from './cluster-view.ts';
import type { Gathered } from './gather.ts';
import type { HostWorkflow } from './host-view.ts';
import { inWords } from './waiting.ts';

export function factsOf({ clusterName, now, cluster, host, letters }: Gathered): DiagnosisFacts {
  const { claim, node } = cluster ?? {};
  return {
    now,
    cluster: clusterName,
    ...(claim ? { claim } : {}),
    isGone: cluster !== undefined && claim === undefined,
    ...(node === undefined ? {} : { node: node === 'missing' ? node : nodeFact(node) }),
    events: cluster?.events ?? [],
    decisions: (host?.decisions ?? []).map(({ at, step, text, detail }) => ({
      at: Date.parse(at),
      step,
      text,
      ...(detail === undefined ? {} : { detail: detail as Json }),
    })),
    workflows: (host?.workflows ?? []).map(workflowFact),
    ...(host?.ours === undefined ? {} : { ours: host.ours }),
    ...(host ? { standing: host.standing } : {}),
    pauses: host?.pauses ?? [],
    deadLetters: letters.map(({ id, reason, deadAt }) => ({ id, reason, at: Date.parse(deadAt) })),
    isHostKnown: host !== undefined,
    explained: (code) => {
      const entry = findError(code);
      // Its code marks are for a page.
      return entry && { cause: entry.cause.replaceAll('`', "'"), cure: entry.cure.replaceAll('`', "'") };
    },
  };
}

function workflowFact({ id, workflow, status, startedAt, waitingFor, error }: HostWorkflow) {
  const wait = waitingFor === undefined ? undefined : inWords(waitingFor);
  return {
    id,
    workflow,
    status,
    startedAt: Date.parse(startedAt),
    ...(wait === undefined ? {} : { waitingFor: wait.words }),
    ...(wait?.until === undefined ? {} : { until: wait.until }),
    ...defined({ error }),
  };
}
