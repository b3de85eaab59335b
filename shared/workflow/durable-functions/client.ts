/**
 * How functions reach workflows on Durable Functions: a thin client of the extension's HTTP interface. The library's own
 * client would make every function that only starts a workflow load the whole of it.
 */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { bodyText } from '../../net/foreign-body.ts';
import { createHttpClient, type HttpClient, type HttpMethod, type HttpResponse } from '../../net/http-client.ts';
import type { StartRequest, WorkflowClient, WorkflowInfo } from '../contract.ts';
import { Epochs, type RestartRequest, type Started } from '../epochs.ts';
import { putMark } from '../mailbox.ts';
import type { StartPayload } from '../payloads.ts';
import type { Records } from '../records.ts';
import type { Restarted, RestartOptions } from '../restart.ts';
import type { Workflow } from '../vocabulary.ts';
import type { DurableEndpoint, Target } from './endpoint.ts';
import { type InstanceStatus, infoOf, isRunning, readStatus } from './info.ts';
import { instanceId, workflowFunction } from './names.ts';

export interface DurableClientOptions {
  endpoint: DurableEndpoint;
  records: Records;
  /** What the deployed orchestrator knows. */
  workflows: readonly Workflow[];
  clock: Clock;
  timeoutMs?: number;
  maxResultBytes?: number;
}

/** It looks at every instance there is. */
const purgeTimeoutMs = 180_000;

export class DurableWorkflowClient implements WorkflowClient {
  readonly #options: DurableClientOptions;
  readonly #http: HttpClient;
  readonly #epochs: Epochs;

  constructor(options: DurableClientOptions) {
    const { records, workflows, clock, maxResultBytes } = options;
    this.#options = options;
    this.#http = createHttpClient({ baseUrl: options.endpoint.origin, userAgent: 'poolwright' });
    this.#epochs = new Epochs({
      records,
      workflows,
      clock,
      ...defined({ maxInputBytes: maxResultBytes }),
      engine: {
        look: async (key, { epoch }) => {
          const status = await this.#status(instanceId(key, epoch));
          return status && (isRunning(status) ? 'running' : 'ended');
        },
        start: async (key, epoch, payload) => ({ ran: await this.#start(instanceId(key, epoch), payload) }),
        stop: (key, { epoch }, reason) => this.#terminate(instanceId(key, epoch), reason),
      },
    });
  }

  close(): void {
    this.#http.close();
  }

  ensure<Input extends Json>(request: StartRequest<Input>): Promise<Started> {
    return this.#epochs.ensure(request);
  }

  /** Throws `RestartRefused`. */
  restart(old: RestartRequest, options: RestartOptions): Promise<Restarted> {
    return this.#epochs.restart(old, options);
  }

  async signal(key: string, name: string): Promise<void> {
    const newest = await this.#epochs.newest(key);
    if (!newest) return;
    const instance = instanceId(key, newest.epoch);
    const token = await putMark(this.#options.records, instance, name);
    if (token === undefined) return;
    // Unknown or gone: nobody waits any more.
    await this.#ask('POST', this.#options.endpoint.raise(instance, token), [202, 404, 410], null);
  }

  async latest(key: string): Promise<WorkflowInfo | undefined> {
    const newest = await this.#epochs.newest(key);
    const status = newest && (await this.#status(instanceId(key, newest.epoch)));
    return status && infoOf(key, newest, status);
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

  /** True when this call started it; the extension refuses a second start of one that runs. */
  async #start(instance: string, payload: StartPayload): Promise<boolean> {
    const target = this.#options.endpoint.start(workflowFunction, instance);
    const answer = await this.#ask('POST', target, [200, 201, 202, 409, 500], { ...payload, routed: true });
    // Older extensions answer 500 to the one that lost the race. So the instance decides, not the status code.
    if (answer.status === 500 && (await this.#status(instance)) === undefined) throw unexpected(answer, 'POST', target);
    return answer.status !== 409 && answer.status !== 500;
  }

  async #terminate(instance: string, reason: string): Promise<void> {
    await this.#ask('POST', this.#options.endpoint.terminate(instance, reason), [200, 202, 404, 410]);
  }

  async #status(instance: string): Promise<InstanceStatus | undefined> {
    const { path, query } = this.#options.endpoint.status(instance);
    const answer = await this.#ask('GET', { path, query: { ...query, showInput: 'false' } }, [200, 202, 404]);
    if (answer.status === 404) return undefined;
    const status = readStatus(answer.json());
    if (!status) throw new Error(`the Durable extension responded to GET ${path} with something other than a status`);
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
    if (!answer.ok) throw new Error(`the Durable extension did not respond: ${answer.message}`);
    if (!expected.includes(answer.status)) throw unexpected(answer, method, target);
    return answer;
  }
}

function unexpected({ status, text }: HttpResponse, method: HttpMethod, { path }: Target): Error {
  const said = bodyText(text, 300);
  return new Error(`the Durable extension responded with ${status} to ${method} ${path}${said ? `: ${said}` : ''}`);
}
