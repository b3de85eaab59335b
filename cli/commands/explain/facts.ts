/** From what host and cluster said, each for itself, to what an explanation is made of. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import type { AnsweredDecision, AnsweredWorkflow } from '../../../shared/explain/answer.ts';
import type { ClusterView } from '../../../shared/explain/cluster-view.ts';
import type { DecisionFact, DiagnosisFacts } from '../../../shared/explain/diagnosis-facts.ts';
import type { Known } from '../../../shared/explain/explain.ts';
import type { HistoryStep, TracedWorkflow } from '../../../shared/explain/spans.ts';
import type { HostView } from './host-view.ts';

export interface Apart {
  clusterName: string;
  now: number;
  cluster?: ClusterView;
  host?: HostView;
  letters: DiagnosisFacts['deadLetters'];
}

/** How a host shows one workflow. */
export interface ShownWorkflow extends AnsweredWorkflow {
  input?: Json;
  history?: (Omit<HistoryStep, 'at'> & { at: string })[];
}

export function knownFrom({ clusterName, now, cluster, host, letters }: Apart, workflows?: TracedWorkflow[]): Known {
  return {
    cluster: clusterName,
    now,
    ...defined({ view: cluster }),
    ...(host === undefined
      ? {}
      : {
          host: {
            ...defined({ ours: host.ours }),
            decisions: host.decisions.map(decisionFact),
            standing: host.standing,
            pauses: host.pauses,
            workflows: workflows ?? host.workflows.map(workflowOf),
            deadLetters: letters,
          },
        }),
  };
}

const decisionFact = ({ at, step, text, code, fields, detail }: AnsweredDecision): DecisionFact => ({
  at: Date.parse(at),
  step,
  text,
  ...defined({ code, fields: fields as DecisionFact['fields'], detail: detail as Json | undefined }),
});

export function workflowOf(shown: ShownWorkflow): TracedWorkflow {
  const { id, workflow, status, startedAt, endedAt, waitingFor, waiting, error, input, history } = shown;
  const { until, name, command } = waiting ?? {};
  const wait =
    command === undefined
      ? undefined
      : { command, ...defined({ name, until: until === undefined ? undefined : Date.parse(until) }) };
  return {
    id,
    workflow,
    status,
    startedAt: Date.parse(startedAt),
    ...defined({
      endedAt: endedAt === undefined ? undefined : Date.parse(endedAt),
      waitingFor,
      waiting: wait,
      error,
      input,
      history: history?.map((step) => ({ ...step, at: Date.parse(step.at) })),
    }),
  };
}
