/**
 * What took how long in the life of a claim, as spans of time: from the event to the node that is ready. Steps come from the history
 * of the workflows where the engine keeps one, else from the decisions that each step leaves.
 */
import { beganIn, watcherName } from '../explain/began.ts';
import type { Gathered } from '../explain/gather.ts';
import type { HostDecision, HostWorkflow } from '../explain/host-view.ts';
import { stagesOf } from '../explain/stages.ts';
import type { Span } from '../explain/waterfall.ts';

export interface TraceSpan extends Span {
  kind: 'event' | 'step' | 'wait' | 'call' | 'decision' | 'stage';
}

export interface HistoryStep {
  step: number;
  command: string;
  ok: boolean;
  value?: unknown;
  error?: string;
  at: string;
}

export interface TracedWorkflow extends HostWorkflow {
  history?: HistoryStep[];
}

export function traceSpans(gathered: Gathered, workflows: readonly TracedWorkflow[]): TraceSpan[] {
  const decisions = gathered.host?.decisions ?? [];
  const recorded = workflows.filter(({ history }) => history !== undefined && history.length > 0);
  const steps = recorded.length > 0 ? recorded.flatMap(stepSpans) : decisionSpans(decisions);
  const open = workflows.flatMap((one) => openSpan(one, gathered.now));
  const spans = [
    ...eventSpans(decisions, workflows),
    ...steps,
    ...callSpans(decisions),
    ...open,
    ...stageSpans(gathered),
  ];
  // A claim is made before anybody sees it, also within one second.
  const order = ({ name }: TraceSpan): number => (name === made ? 0 : 1);
  return spans.sort((a, b) => a.from - b.from || order(a) - order(b) || a.to - b.to);
}

/** From the moment at which somebody noticed until the workflow was there. */
function eventSpans(decisions: readonly HostDecision[], workflows: readonly TracedWorkflow[]): TraceSpan[] {
  return (['launch', 'terminate'] as const).flatMap((kind): TraceSpan[] => {
    const began = beganIn(decisions, kind);
    if (!began) return [];
    const started = Date.parse(workflows.find(({ workflow }) => workflow === kind)?.startedAt ?? '');
    const to = started >= began.at ? started : began.at;
    const note = began.event === undefined ? `begins ${kind}` : `event ${began.event} begins ${kind}`;
    return [{ kind: 'event', name: `seen by ${watcherName(began.observedBy)}`, from: began.at, to, note }];
  });
}

function stepSpans({ workflow, startedAt, history = [] }: TracedWorkflow): TraceSpan[] {
  let from = Date.parse(startedAt);
  return history.map(({ command, ok, value, error, at }): TraceSpan => {
    const to = Math.max(from, Date.parse(at));
    const kind = /^(sleep|wait-signal|poll) ?/.test(command) ? 'wait' : 'step';
    const span: TraceSpan = { kind, name: `${workflow}: ${command}`, from, to, note: outcome(ok, value, error) };
    from = to;
    return span;
  });
}

const longestNote = 200;

/** Answers are plain data with a word for what they mean; the rest is for `--json`. */
function outcome(ok: boolean, value: unknown, error: string | undefined): string {
  if (!ok) return `failed: ${error ?? 'no reason is kept'}`.slice(0, longestNote);
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
  const from = Date.parse(history?.at(-1)?.at ?? startedAt);
  return [{ kind: 'wait', name: `${workflow}: now`, from, to: Math.max(from, now), note: waitingFor ?? 'runs' }];
}

function decisionSpans(decisions: readonly HostDecision[]): TraceSpan[] {
  let from = Date.parse(decisions[0]?.at ?? '');
  return decisions.map(({ at, step, text }): TraceSpan => {
    const to = Math.max(from, Date.parse(at));
    const span: TraceSpan = { kind: 'decision', name: step, from, to, note: text };
    from = to;
    return span;
  });
}

function callSpans(decisions: readonly HostDecision[]): TraceSpan[] {
  return decisions.flatMap(({ at, detail }): TraceSpan[] => {
    if (typeof detail !== 'object' || detail === null) return [];
    const { provider, call, answer, ms, said } = detail as Record<string, unknown>;
    if (typeof provider !== 'string' || typeof call !== 'string') return [];
    const to = Date.parse(at);
    const note = `${String(answer)}${typeof said === 'string' ? ` (${said})` : ''}`;
    return [{ kind: 'call', name: `  ${provider} ${call}`, from: to - (typeof ms === 'number' ? ms : 0), to, note }];
  });
}

const made = '* made';

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

const stageSpans = (gathered: Gathered): TraceSpan[] =>
  stagesOf(gathered)
    .filter(({ name }) => moments.has(name))
    .map(({ name, at }) => ({ kind: 'stage', name: `* ${name}`, from: at, to: at }));
