/** An explanation as it travels: over HTTP, and to whatever shows it. Times are RFC 3339. Names stay. */
import { defined } from '../base/defined.ts';
import type { Condition } from '../base/kubernetes/object.ts';
import type { HeldBy, Standing } from './diagnosis-facts.ts';
import type { Explanation, Known } from './explain.ts';
import type { TraceSpan } from './spans.ts';

export interface AnsweredDecision {
  at: string;
  step: string;
  code?: string | undefined;
  fields?: Record<string, unknown> | undefined;
  text: string;
  detail?: unknown;
}

/** As the host shows them everywhere. */
export interface AnsweredWorkflow {
  id: string;
  key?: string;
  epoch?: number;
  workflow: string;
  version?: number;
  status: string;
  startedAt: string;
  endedAt?: string | undefined;
  waitingFor?: string | undefined;
  waiting?: { command: string; name?: string | undefined; until?: string | undefined } | undefined;
  result?: unknown;
  error?: string | undefined;
}

export interface Answer {
  cluster: string;
  name: string;
  uid: string;
  /** By the clock of the one who answers. */
  now: string;
  /** The cluster has no such claim any more; what is told is what was recorded. */
  gone?: true | undefined;
  diagnosis: {
    state: string;
    code?: string | undefined;
    cause: string;
    fix: string;
    well?: true | undefined;
    since?: string | undefined;
    until?: string | undefined;
  };
  began?:
    | {
        workflow: 'launch' | 'terminate';
        event?: string | undefined;
        type?: string | undefined;
        observedBy: string;
        at: string;
      }
    | undefined;
  /** `whole`: known to the second only, so up to a second of what follows is rounding. */
  stages: { name: string; at: string; whole?: true | undefined }[];
  waits: { workflow: string; since: string; text?: string | undefined; until?: string | undefined }[];
  decisions: AnsweredDecision[];
  workflows: AnsweredWorkflow[];
  pauses: HeldBy[];
  /** Absent: no host was asked. */
  standing?: Standing | undefined;
  ours?: boolean | undefined;
  conditions: Condition[];
  events: { type: string; reason: string; message: string; at: string }[];
  deadLetters: { id: string; reason: string; at?: string | undefined }[];
  spans?: AnsweredSpan[] | undefined;
  /** What could not be asked. */
  missing: ('events' | 'dead-letters')[];
}

export interface AnsweredSpan {
  kind: TraceSpan['kind'];
  name: string;
  from: string;
  to: string;
  note?: string | undefined;
}

export function answerOf(
  { name, uid }: { name: string; uid: string },
  known: Known,
  explained: Explanation,
  { workflows, missing = [] }: { workflows: AnsweredWorkflow[]; missing?: Answer['missing'] },
): Answer {
  const { diagnosis, began, stages, waits, decisions, events } = explained;
  const { cure, since, until, ...said } = diagnosis;
  const { host, view, cluster, now } = known;
  return {
    cluster,
    name,
    uid,
    now: iso(now),
    ...(view !== undefined && view.claim === undefined ? { gone: true as const } : {}),
    diagnosis: { ...said, fix: cure, ...times({ since, until }) },
    ...defined({ began: began && { ...began, at: iso(began.at) } }),
    stages: stages.map((stage) => ({ ...stage, at: iso(stage.at) })),
    waits: waits.map(({ since: from, until: end, ...wait }) => ({
      ...wait,
      since: iso(from),
      ...times({ until: end }),
    })),
    decisions: decisions.map(({ at, ...decision }) => ({ at: iso(at), ...decision })),
    workflows,
    pauses: [...(host?.pauses ?? [])],
    ...defined({ standing: host?.standing, ours: host?.ours }),
    conditions: view?.claim?.status?.conditions ?? [],
    events: events.map((event) => ({ ...event, at: iso(event.at) })),
    deadLetters: (host?.deadLetters ?? []).map(({ id, reason, at }) => ({ id, reason, ...times({ at }) })),
    missing: [...missing],
  };
}

export const answeredSpan = ({ kind, name, from, to, note }: TraceSpan): AnsweredSpan => ({
  kind,
  name,
  from: iso(from),
  to: iso(to),
  ...defined({ note: note || undefined }),
});

export const iso = (at: number): string => new Date(at).toISOString();

/** Those that are known. */
export function times<Name extends string>(given: { [name in Name]: number | undefined }): { [name in Name]?: string } {
  const shown: { [name in Name]?: string } = {};
  for (const name of Object.keys(given) as Name[]) {
    const at = given[name];
    if (at !== undefined && Number.isFinite(at)) shown[name] = iso(at);
  }
  return shown;
}
