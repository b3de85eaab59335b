/**
 * Looking at instances, for people: which workflows there are, and what one of them has done. The platform lists instances in the
 * order of their ids, so all of a kind are read before a page can be given; that is for a person who looks, not for a loop.
 */

import { isObject, type Json } from '../../base/json.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import type { WorkflowInfo, WorkflowStatus } from '../contract.ts';
import type { WorkflowHistory, WorkflowStep } from '../history.ts';
import { readId } from '../keys.ts';
import type { StartPayload } from '../payloads.ts';
import type { DurableEndpoint } from './endpoint.ts';
import { type InstanceStatus, infoOf } from './info.ts';
import { activityFunction, instanceId, mailboxFunction, stepFunction, workflowFunction } from './names.ts';

interface ListedInstance extends InstanceStatus {
  name: string;
  instanceId: string;
  input?: StartPayload | null;
  createdTime: string;
  historyEvents?: InstanceEvent[] | null;
}

/** As the interface tells them: names instead of numbers, and what was scheduled together with how it ended. */
interface InstanceEvent {
  EventType: string;
  FunctionName?: string;
  Name?: string;
  Result?: Json;
  Reason?: string;
  Timestamp: string;
}

const runtimeStatuses: Readonly<Record<WorkflowStatus, string>> = {
  running: 'Pending,Running,ContinuedAsNew,Suspended',
  completed: 'Completed',
  failed: 'Failed,Terminated,Canceled',
  mismatched: 'Failed',
  'set-aside': 'Failed',
};
const pageSize = 1000;
/** More are not looked at: a list of everything that ever ran is a query on the storage account. */
const mostInstances = 10_000;
const defaultLimit = 100;
const timeoutMs = 30_000;

export class DurableInspection {
  readonly #endpoint: DurableEndpoint;
  readonly #http: HttpClient;

  constructor(endpoint: DurableEndpoint) {
    this.#endpoint = endpoint;
    this.#http = createHttpClient({ baseUrl: endpoint.origin, userAgent: 'poolwright' });
  }

  close(): void {
    this.#http.close();
  }

  /** In the order of their start. `after` counts those before. */
  async list(
    query: { status?: WorkflowStatus; after?: string; limit?: number } = {},
  ): Promise<{ items: WorkflowInfo[]; next?: string }> {
    const { status, limit = defaultLimit } = query;
    const first = Number(query.after ?? 0);
    const found = (await this.#instances(status))
      .map(toInfo)
      .filter((info) => info !== undefined)
      .filter((info) => status === undefined || info.status === status)
      .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
    const items = found.slice(first, first + limit);
    return first + limit < found.length ? { items, next: String(first + limit) } : { items };
  }

  async inspect(id: string): Promise<WorkflowHistory | undefined> {
    const named = readId(id);
    if (!named) return undefined;
    const { path, query } = this.#endpoint.status(instanceId(named.key, named.epoch));
    const more = { showInput: 'true', showHistory: 'true', showHistoryOutput: 'true' };
    const answer = await this.#get(path, { ...query, ...more });
    const instance = answer?.value as ListedInstance | undefined;
    const info = instance && toInfo(instance);
    if (!info) return undefined;
    const history = (instance.historyEvents ?? []).map(toStep).filter((one) => one !== undefined);
    return {
      ...info,
      group: readId(id)?.subject.cluster ?? '',
      input: instance.input?.input ?? null,
      history: history.map((one, index) => ({ step: index + 1, ...one })),
      signals: [],
    };
  }

  async #instances(status: WorkflowStatus | undefined): Promise<ListedInstance[]> {
    const { path, query } = this.#endpoint.instances();
    const wanted = status === undefined ? {} : { runtimeStatus: runtimeStatuses[status] };
    const found: ListedInstance[] = [];
    let page: string | undefined;
    do {
      const answer = await this.#get(path, { ...query, ...wanted, showInput: 'true', top: String(pageSize) }, page);
      found.push(...((answer?.value ?? []) as object[] as ListedInstance[]));
      page = answer?.next;
    } while (page !== undefined && found.length < mostInstances);
    return found;
  }

  async #get(path: string, query: Record<string, string>, page?: string) {
    const headers = page === undefined ? {} : { 'x-ms-continuation-token': page };
    const answer = await this.#http.request({ method: 'GET', path, query, headers, timeoutMs });
    if (!answer.ok) throw new Error(`the Durable extension did not respond: ${answer.message}`);
    if (answer.status === 404) return undefined;
    if (answer.status >= 300) throw new Error(`the Durable extension responded with ${answer.status} to GET ${path}`);
    const next = answer.headers['x-ms-continuation-token'];
    return {
      value: answer.json() as object | undefined,
      next: typeof next === 'string' && next !== '' ? next : undefined,
    };
  }
}

/** Nothing for a step of a workflow, and for an instance that somebody else has started. */
function toInfo(instance: ListedInstance): WorkflowInfo | undefined {
  const { name, input } = instance;
  if (name !== workflowFunction || typeof input?.id !== 'string') return undefined;
  const { key, epoch } = readId(input.id) ?? { key: '', epoch: 0 };
  const startedAt = Date.parse(instance.createdTime);
  return infoOf(key, { epoch, workflow: input.workflow, version: input.v, startedAt, started: true }, instance);
}

/** What a workflow asked for, and how it ended; turns of the orchestrator and the mailbox are the engine's own affair. */
function toStep(event: InstanceEvent): Omit<WorkflowStep, 'step'> | undefined {
  const at = Date.parse(event.Timestamp);
  const name = event.FunctionName ?? event.Name ?? '';
  switch (event.EventType) {
    case 'TaskCompleted':
    case 'SubOrchestrationInstanceCompleted':
      return name === mailboxFunction
        ? undefined
        : { command: commandOf(name, event.Result), at, ...outcomeOf(event.Result) };
    case 'TaskFailed':
    case 'SubOrchestrationInstanceFailed':
      return { command: commandOf(name), at, ok: false, error: event.Reason ?? 'no reason given' };
    case 'TimerFired':
      return { command: 'sleep', at, ok: true };
    default:
      return undefined;
  }
}

/** What did a step says which one it was; of one that gave no answer only the function is known. */
function commandOf(name: string, result?: Json): string {
  if (name === stepFunction) return 'poll';
  const answer = typeof result === 'string' ? parsed(result) : result;
  if (isObject(answer) && typeof answer.activity === 'string') return `call ${answer.activity}`;
  const prefix = activityFunction('');
  return name.startsWith(prefix) ? `call ${name.slice(prefix.length)}` : name;
}

/** Activities and steps answer `{ ok, value | error }`; the platform may tell it as text. */
function outcomeOf(result: Json | undefined): { ok: boolean; value?: Json; error?: string } {
  const answer = typeof result === 'string' ? parsed(result) : result;
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return { ok: true };
  if (answer.ok === false) return { ok: false, error: String(answer.error ?? 'no reason given') };
  return answer.value === undefined ? { ok: true } : { ok: true, value: answer.value };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
