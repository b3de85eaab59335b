/**
 * How functions reach workflows on Durable Functions: a thin client of the extension's HTTP interface. The library's own
 * client would make every function that only starts a workflow load the whole of it.
 *
 * Which epoch of a key is the newest is written down in state, by compare-and-set, before its instance is started. The
 * extension refuses a second start of an instance that runs, so however many callers race, one of them starts it.
 */
import { createHttpClient, type HttpClient, type HttpMethod, type HttpResponse } from '../../http-client.ts';
import type { Json } from '../../json.ts';
import type { Clock } from '../../runtime.ts';
import type { StartRequest, WorkflowClient, WorkflowInfo } from '../contract.ts';
import { record } from '../recordable.ts';
import type { Workflow } from '../vocabulary.ts';
import { defaultMaxResultBytes } from './activities.ts';
import type { DurableEndpoint, Target } from './endpoint.ts';
import { type EpochRecord, type InstanceStatus, infoOf, isRunning, readStatus } from './info.ts';
import { putMark } from './mailbox.ts';
import { instanceId, workflowFunction } from './names.ts';
import type { StartPayload } from './payloads.ts';
import type { Records } from './records.ts';

export interface DurableClientOptions {
  endpoint: DurableEndpoint;
  records: Records;
  /** What the deployed orchestrator knows. */
  workflows: readonly Workflow[];
  clock: Clock;
  timeoutMs?: number;
  maxResultBytes?: number;
}

type Started = { id: string; epoch: number; started: boolean };
type Found = { value: EpochRecord; version: string; expiresAt?: number };

const longestKey = 400;
/** Longer than any life and its history: after that, only what a caller knows keeps epochs apart. */
const recordTtlSeconds = 60 * 86_400;
const maxRounds = 50;
/** It looks at every instance there is. */
const purgeTimeoutMs = 180_000;

export class DurableWorkflowClient implements WorkflowClient {
  readonly #options: DurableClientOptions;
  readonly #http: HttpClient;

  constructor(options: DurableClientOptions) {
    this.#options = options;
    this.#http = createHttpClient({ baseUrl: options.endpoint.origin, userAgent: 'poolwright' });
  }

  close(): void {
    this.#http.close();
  }

  async ensure<Input extends Json>(request: StartRequest<Input>): Promise<Started> {
    const { workflow, key, aboveEpoch = 0 } = request;
    const known = this.#options.workflows.some(
      ({ name, version }) => name === workflow.name && version === workflow.version,
    );
    if (!known) {
      throw new Error(`workflow "${workflow.name}" version ${workflow.version} is not registered with this engine`);
    }
    if (key === '' || key.length > longestKey) throw new Error(`a workflow key has 1 to ${longestKey} characters`);
    const maxBytes = this.#options.maxResultBytes ?? defaultMaxResultBytes;
    const input = record(request.input, `the input of workflow "${workflow.name}"`, maxBytes);
    if (!input.ok) throw new Error(input.error);
    for (let round = 0; round < maxRounds; round++) {
      const found = await this.#find(key);
      const there = found && (await this.#join(key, found, workflow, input.value, aboveEpoch));
      if (there) return there;
      const value: EpochRecord = {
        epoch: Math.max(found?.value.epoch ?? 0, aboveEpoch) + 1,
        workflow: workflow.name,
        version: workflow.version,
        startedAt: this.#options.clock.now(),
        started: false,
      };
      const version = await this.#write(key, value, found?.version ?? null);
      if (version !== undefined) return this.#start(key, { value, version }, workflow, input.value);
    }
    throw new Error(`the workflow "${key}" was started and ended by others ${maxRounds} times in a row`);
  }

  async signal(key: string, name: string): Promise<void> {
    const found = await this.#find(key);
    if (!found) return;
    const instance = instanceId(key, found.value.epoch);
    const token = await putMark(this.#options.records, instance, name);
    if (token === undefined) return;
    // Unknown or gone: nobody waits any more.
    await this.#ask('POST', this.#options.endpoint.raise(instance, token), [202, 404, 410], null);
  }

  async latest(key: string): Promise<WorkflowInfo | undefined> {
    const found = await this.#find(key);
    const status = found && (await this.#status(instanceId(key, found.value.epoch)));
    return status && infoOf(key, found.value, status);
  }

  /** Removes the histories of instances that ended, of those that were started before a time. Returns how many. */
  async purge(startedBefore: number): Promise<number> {
    const { path, query } = this.#options.endpoint.instances();
    const filter = {
      createdTimeFrom: new Date(0).toISOString(),
      createdTimeTo: new Date(startedBefore).toISOString(),
      runtimeStatus: 'Completed,Failed,Terminated',
    };
    const target = { path, query: { ...query, ...filter } };
    const answer = await this.#ask('DELETE', target, [200, 404], undefined, purgeTimeoutMs);
    if (answer.status === 404) return 0;
    const { instancesDeleted } = (answer.json() ?? {}) as { instancesDeleted?: number };
    return instancesDeleted ?? 0;
  }

  /** The running epoch, or one that was written down and whose start nobody has seen; nothing if the next one is due. */
  async #join(
    key: string,
    found: Found,
    workflow: Workflow<never>,
    input: Json,
    aboveEpoch: number,
  ): Promise<Started | undefined> {
    const { epoch, started } = found.value;
    const status = await this.#status(instanceId(key, epoch));
    if (status && isRunning(status)) {
      if (!started || this.#isStale(found)) await this.#write(key, { ...found.value, started: true }, found.version);
      return { id: `${key}/${epoch}`, epoch, started: false };
    }
    // Whoever wrote it down may have died before the start. One that was started and is not there was lost or purged.
    if (status || started || epoch <= aboveEpoch) return undefined;
    return this.#start(key, found, workflow, input);
  }

  async #start(key: string, { value, version }: Found, workflow: Workflow<never>, input: Json): Promise<Started> {
    const { epoch } = value;
    const id = `${key}/${epoch}`;
    const instance = instanceId(key, epoch);
    const payload: StartPayload = { workflow: workflow.name, v: workflow.version, id, input };
    const target = this.#options.endpoint.start(workflowFunction, instance);
    const answer = await this.#ask('POST', target, [200, 201, 202, 409], { ...payload });
    if (answer.status === 409) return { id, epoch, started: false };
    const mine = { ...value, workflow: workflow.name, version: workflow.version, started: true };
    if ((await this.#write(key, mine, version)) === undefined) await this.#endStray(key, epoch, instance);
    return { id, epoch, started: true };
  }

  /** Held up for so long that others took it for dead and went on with the next epoch: then this one must not run. */
  async #endStray(key: string, epoch: number, instance: string): Promise<void> {
    const now = await this.#find(key);
    if (!now || now.value.epoch <= epoch) return;
    const target = this.#options.endpoint.terminate(instance, 'a later epoch runs');
    await this.#ask('POST', target, [200, 202, 404, 410]);
  }

  #find(key: string): Promise<Found | undefined> {
    return this.#options.records.get<EpochRecord>(recordKey(key));
  }

  #write(key: string, value: EpochRecord, ifVersion: string | null): Promise<string | undefined> {
    return this.#options.records.put(recordKey(key), value, { ifVersion, ttlSeconds: recordTtlSeconds });
  }

  #isStale({ expiresAt }: Found): boolean {
    return expiresAt !== undefined && expiresAt - this.#options.clock.now() < (recordTtlSeconds * 1000) / 2;
  }

  async #status(instance: string): Promise<InstanceStatus | undefined> {
    const { path, query } = this.#options.endpoint.status(instance);
    const answer = await this.#ask('GET', { path, query: { ...query, showInput: 'false' } }, [200, 202, 404]);
    if (answer.status === 404) return undefined;
    const status = readStatus(answer.json());
    if (!status) throw new Error(`the Durable extension answered with something else than a status to GET ${path}`);
    return status;
  }

  /** Throws for every other status than those: the caller is asked again by its queue or its timer. */
  async #ask(
    method: HttpMethod,
    target: Target,
    expected: readonly number[],
    body?: Json,
    timeoutMs = this.#options.timeoutMs ?? 30_000,
  ): Promise<HttpResponse> {
    const { path, query } = target;
    const request = { method, path, query, timeoutMs };
    const answer = await this.#http.request(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the Durable extension did not answer: ${answer.message}`);
    if (!expected.includes(answer.status)) {
      const said = answer.text.slice(0, 300);
      throw new Error(`the Durable extension answered ${answer.status} to ${method} ${path}${said ? `: ${said}` : ''}`);
    }
    return answer;
  }
}

const recordKey = (key: string): string => `workflow-epochs/${key}`;
