/**
 * What took how long in the life of a claim, as spans of time: from the event to the node that is ready. Steps come from the history
 * of the workflows where the engine keeps one, else from the decisions that each step leaves.
 */
import { parseSignature } from '../workflow/waiting.ts';
import { beganIn, watcherName } from './began.ts';
import { detailIn } from './decision-detail.ts';
import type { DecisionFact } from './diagnosis-facts.ts';
import type { Explanation, KnownWorkflow } from './explain.ts';
import type { Stage } from './stages.ts';

export interface TraceSpan {
  kind: 'event' | 'step' | 'wait' | 'call' | 'decision' | 'stage';
  name: string;
  /** Milliseconds. */
  from: number;
  to: number;
  note?: string;
}

export interface HistoryStep {
  command: string;
  ok: boolean;
  value?: unknown;
  error?: string;
  /** Milliseconds. */
  at: number;
}

export interface TracedWorkflow extends KnownWorkflow {
  history?: readonly HistoryStep[];
}

export function traceSpans(
  { decisions, stages }: Pick<Explanation, 'decisions' | 'stages'>,
  workflows: readonly TracedWorkflow[],
  now: number,
): TraceSpan[] {
  const recorded = workflows.filter(({ history }) => history !== undefined && history.length > 0);
  const steps = recorded.length > 0 ? recorded.flatMap(stepSpans) : decisionSpans(decisions);
  const open = workflows.flatMap((one) => openSpan(one, now));
  const spans = [
    ...eventSpans(decisions, workflows),
    ...steps,
    ...callSpans(decisions),
    ...open,
    ...stageSpans(stages),
  ];
  // A claim is made before anybody sees it, also within one second.
  const order = ({ kind, name }: TraceSpan): number => (kind === 'stage' && name === 'made' ? 0 : 1);
  return spans.sort((a, b) => a.from - b.from || order(a) - order(b) || a.to - b.to);
}

/** From the moment at which somebody noticed until the workflow was there. */
function eventSpans(decisions: readonly DecisionFact[], workflows: readonly TracedWorkflow[]): TraceSpan[] {
  return (['launch', 'terminate'] as const).flatMap((kind): TraceSpan[] => {
    const began = beganIn(decisions, kind);
    if (!began) return [];
    const started = workflows.find(({ workflow }) => workflow === kind)?.startedAt ?? began.at;
    const note = began.event === undefined ? `begins ${kind}` : `event ${began.event} begins ${kind}`;
    const to = Math.max(began.at, started);
    return [{ kind: 'event', name: `seen by ${watcherName(began.observedBy)}`, from: began.at, to, note }];
  });
}

const waits: ReadonlySet<string> = new Set(['sleep', 'wait-signal', 'poll']);

function stepSpans({ workflow, startedAt, history = [] }: TracedWorkflow): TraceSpan[] {
  let from = startedAt;
  return history.map(({ command, ok, value, error, at }): TraceSpan => {
    const to = Math.max(from, at);
    const kind = waits.has(parseSignature(command).command) ? 'wait' : 'step';
    const span: TraceSpan = { kind, name: `${workflow}: ${command}`, from, to, note: outcome(ok, value, error) };
    from = to;
    return span;
  });
}

const longestNote = 200;

/** Answers are plain data with a word for what they mean; the rest is for `--json`. */
function outcome(ok: boolean, value: unknown, error: string | undefined): string {
  if (!ok) return `failed: ${error ?? 'no reason recorded'}`.slice(0, longestNote);
  if (typeof value !== 'object' || value === null) return value === true ? 'woken' : '';
  const inner = 'value' in value && typeof value.value === 'object' && value.value !== null ? value.value : value;
  const words = ['do', 'why', 'for', 'reason'].map((key) => (inner as Record<string, unknown>)[key]);
  return words
    .filter((word) => typeof word === 'string')
    .join(', ')
    .slice(0, longestNote);
}

function openSpan({ workflow, status, waitingFor, startedAt, history }: TracedWorkflow, now: number): TraceSpan[] {
  if (status !== 'running') return [];
  const from = history?.at(-1)?.at ?? startedAt;
  return [{ kind: 'wait', name: `${workflow}: now`, from, to: Math.max(from, now), note: waitingFor ?? 'runs' }];
}

function decisionSpans(decisions: readonly DecisionFact[]): TraceSpan[] {
  let from = decisions[0]?.at ?? 0;
  return decisions.map(({ at, step, text }): TraceSpan => {
    const to = Math.max(from, at);
    const span: TraceSpan = { kind: 'decision', name: step, from, to, note: text };
    from = to;
    return span;
  });
}

function callSpans(decisions: readonly DecisionFact[]): TraceSpan[] {
  return decisions.flatMap(({ at, detail }): TraceSpan[] => {
    const { call } = detailIn(detail);
    if (!call) return [];
    const note = `${call.answer}${call.said === undefined ? '' : ` (${call.said})`}`;
    return [{ kind: 'call', name: `${call.provider} ${call.call}`, from: at - (call.ms ?? 0), to: at, note }];
  });
}

/** Moments that the cluster knows: they take no time, and say where the claim was. */
const moments: ReadonlySet<string> = new Set([
  'made',
  'launched',
  'registered',
  'initialized',
  'ready',
  'deleted',
  'drained',
]);

const stageSpans = (stages: readonly Stage[]): TraceSpan[] =>
  stages.filter(({ name }) => moments.has(name)).map(({ name, at }) => ({ kind: 'stage', name, from: at, to: at }));
