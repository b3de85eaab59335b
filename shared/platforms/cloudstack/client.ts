/**
 * The way to a management server: a command by its name, its parameters, and a signal. Always by POST and with a signature that
 * expires, so that a request that somebody records is worth nothing later. It never throws: what CloudStack refuses is a `Failure`
 * with a kind and a code.
 *
 * @example
 * const zones = await client.list<Zone>('listZones', { available: true }, signal);
 * if (!zones.ok) return zones;
 * const job = await client.call<{ id: string; jobid: string }>('deployVirtualMachine', { zoneid, … }, signal);
 */
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import { fingerprint } from '../../base/fingerprint.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { proxyFromEnvironment } from '../../net/http-proxy.ts';
import { expiresText, ServerClock } from './clock.ts';
import type { CloudStackCredentials, CredentialSource } from './credentials.ts';
import { itemsIn, openAnswer } from './envelope.ts';
import {
  type CloudStackRequest,
  clockSkewFailure,
  failureOf,
  foreignAnswer,
  isCredentialProblem,
  silence,
} from './errors.ts';
import { fieldsOf, formOf, type Params } from './fields.ts';
import { type JobState, jobStateOf } from './jobs.ts';
import { saidPageSize } from './said.ts';
import { signatureOf } from './signature.ts';

/** Lets calls through as the account's request limit allows. */
export interface CloudStackPace {
  /** `throttled` when there is no room soon. Where somebody is named, its place in the line is kept until it comes again. */
  enter(who: string | undefined, signal: AbortSignal): Promise<Result<void>>;
  /** The same ahead of the call: whoever was let in here is not asked to wait when it enters. */
  reserve(who: string): Promise<Result<void>>;
  refused(retryAfterSeconds: number | undefined): void;
}

/** One call that was answered, or was not; for meters and tests. */
export interface CallReport {
  command: string;
  failure?: Failure;
  /** The code of CloudStack's error, such as 533, where it answered one. */
  errorCode?: number;
}

export interface CloudStackClientOptions {
  credentials: CredentialSource;
  clock: Clock;
  /** For proxies. */
  env?: Environment;
  /** False: trust any certificate. */
  verifySSL?: boolean;
  /** PEM; instead of the public authorities. */
  certificateAuthority?: string;
  /** By the account that calls, because the limit is the account's. */
  paceOf?(account: string): CloudStackPace;
  timeoutMs?: number;
  pageSize?: number;
  onCall?(report: CallReport): void;
  /** The server's clock differs so much that signatures had expired; from now on they are made by its time. */
  onSkew?(skewMs: number): void;
}

export interface CallOptions {
  /** Who has a place in the line (`CloudStackPace.reserve`). */
  who?: string;
}

/** Pages count from 1; their size is part of the place, because a server may allow less than was asked for. */
export interface ListPage {
  number: number;
  size: number;
}

export interface CloudStackClient {
  /** What is inside the envelope. Of an asynchronous command that is `{ jobid }`, with `id` where something is made. */
  call<T extends JsonObject = JsonObject>(
    command: string,
    params: Params,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result<T>>;
  /** All items of a list that has pages. */
  list<T>(command: string, params: Params, signal: AbortSignal, options?: CallOptions): Promise<Result<T[]>>;
  /** One page of a list. Give back `next` to get the one after it; absent: that was the last one. */
  page<T>(
    command: string,
    params: Params,
    at: ListPage | undefined,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result<{ items: T[]; next?: ListPage }>>;
  job(jobId: string, signal: AbortSignal): Promise<Result<JobState>>;
  /** Room for the call of this name, ahead of it. */
  reserve(who: string, signal: AbortSignal): Promise<Result<void>>;
  /** Scheme, host and path that are asked, and a name for the account there: it tells two accounts apart, and two servers. */
  account(signal: AbortSignal): Promise<Result<{ endpoint: string; account: string }>>;
  /** By how much the server's clock is ahead of ours, where that was noticed. */
  readonly skewMs: number;
  close(): void;
}

const usualTimeoutMs = 30_000;
/** As many as `default.page.size` allows at most where nobody changed it. */
const usualPageSize = 500;
/** The longest list has hundreds of pages; one that does not end must not keep us for ever. */
const mostPages = 500;
/** A large list of virtual machines has some megabytes per page. */
const largestBytes = 32 * 1024 * 1024;
/** A refusal by the request limit has done nothing, so the same call may go again; after so many the caller comes back later. */
const mostRefusals = 3;
const longestPauseHere = 2;

/** Of these a lost answer hides nothing. As CloudStack itself tells reads from writes. */
export const isRead = (command: string): boolean => /^(list|query|get|find)/i.test(command);

export function createCloudStackClient(options: CloudStackClientOptions): CloudStackClient {
  return new SigningClient(options);
}

const anonymousPace: CloudStackPace = {
  enter: () => Promise.resolve(ok(undefined)),
  reserve: () => Promise.resolve(ok(undefined)),
  refused: () => undefined,
};

/** One exchange; `errorCode` is CloudStack's own, and `unsigned` says that it refused the signature. */
type Exchanged = Result<JsonObject> & { errorCode?: number; unsigned?: { skewMs?: number; resign: boolean } };

class SigningClient implements CloudStackClient {
  readonly #options: CloudStackClientOptions;
  readonly #clock: ServerClock;
  readonly #paces = new Map<string, CloudStackPace>();
  #http: { apiUrl: string; client: HttpClient } | undefined;
  #pageSize: number;
  #closed = false;

  constructor(options: CloudStackClientOptions) {
    this.#options = options;
    this.#clock = new ServerClock(options.clock);
    this.#pageSize = options.pageSize ?? usualPageSize;
  }

  get skewMs(): number {
    return this.#clock.skewMs;
  }

  async call<T extends JsonObject = JsonObject>(
    command: string,
    params: Params,
    signal: AbortSignal,
    { who }: CallOptions = {},
  ): Promise<Result<T>> {
    const given = await this.#options.credentials.get(signal);
    if (!given.ok) return given;
    let credentials = given.value;
    let answer = await this.#send(credentials, command, params, who, signal);
    if (answer.unsigned?.resign) answer = await this.#send(credentials, command, params, who, signal);
    if (answer.unsigned !== undefined && !answer.unsigned.resign) {
      // The Secret may have been rotated since it was read.
      const renewed = await this.#options.credentials.get(signal, credentials);
      if (renewed.ok && !isSame(renewed.value, credentials)) {
        credentials = renewed.value;
        answer = await this.#send(credentials, command, params, who, signal);
      }
    }
    return answer as Result<T>;
  }

  async list<T>(command: string, params: Params, signal: AbortSignal, options?: CallOptions): Promise<Result<T[]>> {
    const all = new Map<string, T>();
    let at: ListPage | undefined;
    for (let turned = 0; turned < mostPages; turned++) {
      const page = await this.page<T & { id?: Json; zoneid?: Json }>(command, params, at, signal, options);
      if (!page.ok) return page;
      const { items, next } = page.value;
      // What is made or ended while we turn pages moves the others: one may come twice. A template is there once for each zone.
      for (const item of items) {
        const key = typeof item.id === 'string' ? `${item.id}/${String(item.zoneid)}` : `${turned}/${all.size}`;
        all.set(key, item);
      }
      if (next === undefined) return ok([...all.values()]);
      at = next;
    }
    return failed('unavailable', `${command}: the list has more than ${mostPages} pages`);
  }

  async page<T>(
    command: string,
    params: Params,
    at: ListPage | undefined,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Result<{ items: T[]; next?: ListPage }>> {
    const { number, size } = at ?? { number: 1, size: this.#pageSize };
    const answer = await this.call(command, { ...params, page: number, pagesize: size }, signal, options);
    if (!answer.ok) {
      const most = answer.error.kind === 'invalid' ? saidPageSize(answer.error) : undefined;
      if (most === undefined || most >= size || number > 1) return answer;
      this.#pageSize = most;
      return this.page(command, params, undefined, signal, options);
    }
    const items = itemsIn<T>(answer.value);
    const count = Number(answer.value.count);
    const isLast = Number.isNaN(count) ? items.length < size : number * size >= count;
    return ok({ items, ...(isLast || items.length === 0 ? {} : { next: { number: number + 1, size } }) });
  }

  async job(jobId: string, signal: AbortSignal): Promise<Result<JobState>> {
    const answer = await this.call('queryAsyncJobResult', { jobid: jobId }, signal, { who: `job/${jobId}` });
    return answer.ok ? ok(jobStateOf(answer.value)) : answer;
  }

  async reserve(who: string, signal: AbortSignal): Promise<Result<void>> {
    const credentials = await this.#options.credentials.get(signal);
    return credentials.ok ? this.#paceOf(credentials.value).reserve(who) : credentials;
  }

  async account(signal: AbortSignal): Promise<Result<{ endpoint: string; account: string }>> {
    const credentials = await this.#options.credentials.get(signal);
    if (!credentials.ok) return credentials;
    return ok({ endpoint: endpointOf(credentials.value), account: accountOf(credentials.value) });
  }

  close(): void {
    this.#closed = true;
    this.#http?.client.close();
  }

  async #send(
    credentials: CloudStackCredentials,
    command: string,
    params: Params,
    who: string | undefined,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    const pace = this.#paceOf(credentials);
    for (let refusals = 1; ; refusals++) {
      const room = await pace.enter(who, signal);
      if (!room.ok) return room;
      if (signal.aborted) return failed('unavailable', `${command}: the call was stopped before it was sent`);
      const answer = await this.#exchange(credentials, command, params, signal);
      const { errorCode } = answer;
      this.#options.onCall?.({ command, ...(answer.ok ? {} : { failure: answer.error, ...defined({ errorCode }) }) });
      if (answer.ok || answer.error.kind !== 'throttled') return answer;
      pace.refused(answer.error.retryAfterSeconds);
      if (refusals >= mostRefusals || (answer.error.retryAfterSeconds ?? 0) > longestPauseHere) return answer;
    }
  }

  async #exchange(
    credentials: CloudStackCredentials,
    command: string,
    params: Params,
    signal: AbortSignal,
  ): Promise<Exchanged> {
    const endpoint = endpointOf(credentials);
    const read = isRead(command);
    const asked: CloudStackRequest = { command, endpoint, write: !read };
    if (this.#closed) return failed('unavailable', `${command}: the client is closed`);
    rememberCredentials(credentials);
    const expires = this.#clock.expires();
    const fields = {
      ...fieldsOf(params),
      command,
      apiKey: credentials.apiKey,
      response: 'json',
      signatureVersion: '3',
      expires: expiresText(expires),
    };
    const signature = signatureOf(fields, credentials.secretKey);
    const once = () =>
      this.#httpFor(credentials).request({
        method: 'POST',
        path: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
        body: formOf({ ...fields, signature }),
        timeoutMs: this.#options.timeoutMs ?? usualTimeoutMs,
        // The server may close an idle connection in the moment a write reuses it, and then nobody knows whether it was done.
        freshConnection: !read,
        signal,
      });
    let answer: Awaited<ReturnType<typeof once>>;
    try {
      answer = await once();
      // A read whose kept connection had just been closed; a write has a new one.
      if (read && !answer.ok && answer.sent && !answer.aborted && !answer.timedOut) answer = await once();
    } catch (error) {
      // A certificate authority that is no PEM, a URL that is none: nothing was sent.
      return failed('invalid', `${command}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!answer.ok) return { ok: false, error: silence(answer, asked) };
    const opened = openAnswer(answer);
    if (opened.got === 'value') return ok(opened.value);
    if (opened.got === 'foreign') return { ok: false, error: foreignAnswer(answer, asked) };
    const error = failureOf(opened.problem, asked);
    const errorCode = opened.problem.code;
    if (!isCredentialProblem(opened.problem)) return { ok: false, error, errorCode };
    const judged = this.#clock.judge(expires, answer.headers.date);
    if (!judged.skewed) return { ok: false, error, errorCode, unsigned: { resign: false } };
    if (judged.follow) this.#options.onSkew?.(judged.skewMs);
    return { ok: false, error: clockSkewFailure(judged.skewMs, asked), errorCode, unsigned: { resign: judged.follow } };
  }

  #httpFor({ apiUrl }: CloudStackCredentials): HttpClient {
    if (this.#http?.apiUrl === apiUrl) return this.#http.client;
    this.#http?.client.close();
    const { env = {}, verifySSL = true, certificateAuthority: ca } = this.#options;
    const proxy = proxyFromEnvironment(new URL(apiUrl), env);
    const tls = { ...(ca === undefined ? {} : { ca }), ...(verifySSL ? {} : { insecure: true }) };
    const client = createHttpClient({
      baseUrl: apiUrl,
      userAgent: 'poolwright',
      maxResponseBytes: largestBytes,
      tls: () => tls,
      ...(proxy === undefined ? {} : { proxy }),
    });
    this.#http = { apiUrl, client };
    return client;
  }

  #paceOf(credentials: CloudStackCredentials): CloudStackPace {
    const account = accountOf(credentials);
    const known = this.#paces.get(account) ?? this.#options.paceOf?.(account) ?? anonymousPace;
    this.#paces.set(account, known);
    return known;
  }
}

/** Without a query, which a URL of CloudStack has none of, and without a user. */
function endpointOf({ apiUrl }: CloudStackCredentials): string {
  const { origin, pathname } = new URL(apiUrl);
  return `${origin}${pathname}`;
}

/** A name for the account, not its key. */
const accountOf = (credentials: CloudStackCredentials): string =>
  fingerprint({ endpoint: endpointOf(credentials), apiKey: credentials.apiKey });

const isSame = (a: CloudStackCredentials, b: CloudStackCredentials): boolean =>
  a.apiUrl === b.apiUrl && a.apiKey === b.apiKey && a.secretKey === b.secretKey;

/** So that no message and no log has them, whoever sends them back. */
function rememberCredentials({ apiKey, secretKey }: CloudStackCredentials): void {
  rememberSecret(secretKey);
  rememberSecret(apiKey);
}
