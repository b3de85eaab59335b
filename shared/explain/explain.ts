/**
 * Everything about a claim in one answer: what is the matter and what would help, how it began, which stages it reached, what was decided.
 * Facts in, data out: a host answers with it over HTTP, and the command makes it itself where no host can be asked.
 */
import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import { findError } from '../observe/errors/catalog.ts';
import type { WorkflowInfo } from '../workflow/contract.ts';
import type { Waiting } from '../workflow/waiting.ts';
import { type Began, beganIn, causeIn } from './began.ts';
import { type ClusterView, nodeFact, type ShownEvent } from './cluster-view.ts';
import { type Diagnosis, type DiagnosisFacts, diagnose } from './diagnosis.ts';
import type { DecisionFact, WorkflowFact } from './diagnosis-facts.ts';
import { oldWaiting, withCode } from './old-records.ts';
import { type Stage, stagesOf } from './stages.ts';
import { waitWords } from './waits.ts';

export type KnownWorkflow = Pick<
  WorkflowInfo,
  'id' | 'workflow' | 'startedAt' | 'endedAt' | 'waitingFor' | 'waiting' | 'error'
> & { status: string; input?: Json };

/** What a host knows. Times are in milliseconds. */
export interface HostKnowledge {
  /** False: no provider here serves its node class. */
  ours?: boolean;
  decisions: readonly DecisionFact[];
  standing: NonNullable<DiagnosisFacts['standing']>;
  pauses: DiagnosisFacts['pauses'];
  /** The newest launch and the newest end. */
  workflows: readonly KnownWorkflow[];
  deadLetters: DiagnosisFacts['deadLetters'];
}

export interface Known {
  /** As the host calls it, or as the kubeconfig does. */
  cluster: string;
  now: number;
  /** Absent: the cluster could not be asked. */
  view?: ClusterView;
  /** Absent: no host was asked. */
  host?: HostKnowledge;
}

export interface Wait {
  workflow: string;
  since: number;
  /** In words; absent where the engine does not tell. */
  text?: string;
  until?: number;
}

export interface Explanation {
  diagnosis: Diagnosis;
  began?: Began;
  stages: Stage[];
  /** Of each workflow that runs, what it waits for. */
  waits: Wait[];
  decisions: DecisionFact[];
  events: readonly ShownEvent[];
}

export function explain(known: Known): Explanation {
  const facts = factsOf(known);
  const began = beganIn(facts.decisions) ?? beganByInput(known.host?.workflows ?? []);
  return {
    diagnosis: diagnose(facts),
    ...defined({ began }),
    stages: stagesOf(facts),
    waits: facts.workflows
      .filter(({ status }) => status === 'running')
      .map(({ workflow, startedAt = known.now, waitingFor, until }) => ({
        workflow,
        since: startedAt,
        ...defined({ text: waitingFor, until }),
      })),
    // As they are kept: what is only guessed of an old one is for the rules.
    decisions: [...(known.host?.decisions ?? [])],
    events: facts.events,
  };
}

export function factsOf({ cluster, now, view, host }: Known): DiagnosisFacts {
  const { claim, node, events = [] } = view ?? {};
  return {
    now,
    cluster,
    ...defined({ claim }),
    isGone: view !== undefined && claim === undefined,
    ...(node === undefined ? {} : { node: node === 'missing' ? node : nodeFact(node) }),
    events,
    decisions: (host?.decisions ?? []).map(withCode),
    workflows: (host?.workflows ?? []).map(workflowFact),
    ...defined({ ours: host?.ours, standing: host?.standing }),
    pauses: host?.pauses ?? [],
    deadLetters: host?.deadLetters ?? [],
    isHostKnown: host !== undefined,
    explained: (code) => {
      const entry = findError(code);
      // Its code marks are for a page.
      return entry && { cause: entry.cause.replaceAll('`', "'"), cure: entry.cure.replaceAll('`', "'") };
    },
  };
}

function workflowFact({ id, workflow, status, startedAt, error, ...rest }: KnownWorkflow): WorkflowFact {
  const waiting = waitingOf(rest);
  const words = waiting === undefined ? undefined : waitWords(waiting, rest.waitingFor ?? '');
  return { id, workflow, status, startedAt, ...defined({ waitingFor: words, until: waiting?.until, error }) };
}

const waitingOf = ({ waitingFor, waiting }: Pick<KnownWorkflow, 'waitingFor' | 'waiting'>): Waiting | undefined =>
  waiting ?? (waitingFor === undefined ? undefined : oldWaiting(waitingFor));

/** Decisions are kept for a while only; a workflow that runs keeps what it was started with. */
function beganByInput(workflows: readonly KnownWorkflow[]): Began | undefined {
  const running = workflows.findLast(({ status }) => status === 'running');
  const { input } = running ?? {};
  if (!running || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const cause = causeIn(input.cause);
  return cause && { workflow: running.workflow === 'terminate' ? 'terminate' : 'launch', ...cause };
}
