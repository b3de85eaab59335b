/**
 * Looking at executions, for people: which workflows there are, and what one of them has done. The service lists executions
 * without their input, which says which workflow it is: so each of a page is asked for. That is for a person who looks, not for a
 * loop.
 */
import { isObject } from '../../base/json.ts';
import type { WorkflowInfo, WorkflowStatus } from '../contract.ts';
import type { WorkflowHistory, WorkflowStep } from '../history.ts';
import { readId } from '../keys.ts';
import type { StartPayload } from '../payloads.ts';
import type { EventView, ExecutionView, LambdaApi } from './api.ts';
import { infoOf, isRunning, parsed, waitingForIn } from './info.ts';
import { executionName, titleOf } from './names.ts';

const statuses: Readonly<Record<WorkflowStatus, readonly string[]>> = {
  running: ['RUNNING'],
  completed: ['SUCCEEDED'],
  failed: ['FAILED', 'TIMED_OUT', 'STOPPED'],
  mismatched: ['FAILED'],
  'set-aside': ['FAILED'],
};
/** More are not looked at: a list of everything that ever ran is a query for the console. */
const mostExecutions = 2000;
const defaultLimit = 100;
/** So many are asked for in one page, one after the other; a page may be short, and goes on with the next. */
const mostAsked = 300;
const eventsPerPage = 1000;

/** What was written down when executions were started. */
export interface KnownExecutions {
  /** Nothing where nobody has written it down, or not of this epoch any more. */
  arnOf(key: string, epoch: number): Promise<string | undefined>;
}

export class LambdaInspection {
  readonly #api: LambdaApi;
  readonly #known: KnownExecutions;

  constructor(api: LambdaApi, known: KnownExecutions) {
    this.#api = api;
    this.#known = known;
  }

  /** In the order of their start. `after` counts those before. */
  async list(
    query: { status?: WorkflowStatus; after?: string; limit?: number } = {},
  ): Promise<{ items: WorkflowInfo[]; next?: string }> {
    const { status, limit = defaultLimit } = query;
    const found = await this.#executions(status);
    const items: WorkflowInfo[] = [];
    const first = Number(query.after ?? 0);
    let place = first;
    for (; place < found.length && items.length < limit && place < first + mostAsked; place++) {
      const info = await this.#info(found[place] as ExecutionView);
      if (info && (status === undefined || info.status === status)) items.push(info);
    }
    return place < found.length ? { items, next: String(place) } : { items };
  }

  async inspect(id: string): Promise<WorkflowHistory | undefined> {
    const [key, epoch] = parsedId(id);
    if (key === '') return undefined;
    const execution = await this.#execution(key, epoch);
    const start = execution && startOf(execution);
    if (!execution || start?.id !== id) return undefined;
    const events = await this.#events(execution.arn);
    const history = events.map(toStep).filter((one) => one !== undefined);
    return {
      ...toInfo(execution, start, waitingForIn(events.toReversed())),
      group: readId(id)?.subject.cluster ?? '',
      input: start.input,
      history: history.map((one, index) => ({ step: index + 1, ...one })),
      signals: [],
    };
  }

  /**
   * By its name only where its ARN is unknown: names are looked up under the alias, and an execution belongs to the version that
   * the alias meant when it began.
   */
  async #execution(key: string, epoch: number): Promise<ExecutionView | undefined> {
    const known = await this.#known.arnOf(key, epoch);
    const execution = known === undefined ? undefined : await this.#api.execution(known);
    if (execution) return execution;
    const found = await this.#api.find(executionName(this.#api.functionName, key, epoch));
    return found && this.#api.execution(found.arn);
  }

  async #executions(status: WorkflowStatus | undefined): Promise<ExecutionView[]> {
    const found: ExecutionView[] = [];
    for (const one of status === undefined ? [undefined] : statuses[status]) {
      let page: string | undefined;
      do {
        const answer = await this.#api.list(one, page);
        found.push(...answer.items);
        page = answer.next;
      } while (page !== undefined && found.length < mostExecutions);
    }
    return found.sort((a, b) => a.startedAt - b.startedAt || (a.arn < b.arn ? -1 : 1));
  }

  /** Nothing for an execution that somebody else has started, or that is gone by now. */
  async #info({ arn }: ExecutionView): Promise<WorkflowInfo | undefined> {
    const execution = await this.#api.execution(arn);
    const start = execution && startOf(execution);
    if (!execution || !start) return undefined;
    if (!isRunning(execution)) return toInfo(execution, start);
    const { events } = await this.#api.history(arn, { newestFirst: true, withData: false, limit: defaultLimit });
    return toInfo(execution, start, waitingForIn(events));
  }

  async #events(arn: string): Promise<EventView[]> {
    const events: EventView[] = [];
    let marker: string | undefined;
    do {
      const more = marker === undefined ? {} : { marker };
      const page = await this.#api.history(arn, { newestFirst: false, withData: true, limit: eventsPerPage, ...more });
      events.push(...page.events);
      marker = page.next;
    } while (marker !== undefined);
    return events;
  }
}

function parsedId(id: string): [key: string, epoch: number] {
  const { key, epoch } = readId(id) ?? { key: '', epoch: 0 };
  return [key, epoch];
}

function startOf({ input }: ExecutionView): StartPayload | undefined {
  const start = parsed(input);
  if (start === null || typeof start !== 'object' || Array.isArray(start)) return undefined;
  const { workflow, v, id } = start;
  if (typeof workflow !== 'string' || typeof v !== 'number' || typeof id !== 'string') return undefined;
  return { workflow, v, id, input: start.input ?? null };
}

function toInfo(execution: ExecutionView, start: StartPayload, waitingFor?: string): WorkflowInfo {
  const [key, epoch] = parsedId(start.id);
  const { workflow, v: version } = start;
  const record = { epoch, workflow, version, startedAt: execution.startedAt, started: true };
  return infoOf(key, record, execution, waitingFor);
}

/** What a workflow asked for, and how it ended; its invocations and its mailbox are the engine's own affair. */
function toStep({ type, at, name, result, error, isRetried }: EventView): Omit<WorkflowStep, 'step'> | undefined {
  if (name === undefined || isRetried || /^\d+\.(mail|take) /.test(name)) return undefined;
  const command = titleOf(name);
  if (type.endsWith('TimedOut')) return { command, at, ok: true, value: false };
  if (type.endsWith('Failed')) return { command, at, ok: false, error: error ?? 'no reason given' };
  if (!type.endsWith('Succeeded')) return undefined;
  if (type === 'CallbackSucceeded') return { command, at, ok: true, value: true };
  if (type !== 'StepSucceeded') return { command, at, ok: true };
  return { command, at, ...outcomeOf(result) };
}

/** A step keeps its value and the time; a poll keeps its item, whose outcome it is. */
function outcomeOf(
  result: string | undefined,
): { ok: true; value?: WorkflowStep['value'] & {} } | { ok: false; error: string } {
  const kept = parsed(result);
  if (kept === null || typeof kept !== 'object' || Array.isArray(kept)) return { ok: true };
  const { item } = kept;
  const outcome = isObject(item) ? item.outcome : kept;
  if (outcome === null || typeof outcome !== 'object' || Array.isArray(outcome)) return { ok: true };
  if (outcome.ok === false) return { ok: false, error: String(outcome.error ?? 'no reason given') };
  return outcome.value === undefined || outcome.value === null ? { ok: true } : { ok: true, value: outcome.value };
}
