/** One call of Azure Resource Manager, without a client of its own for each resource provider. Answers that are no success are values. */
import { defined } from '../../../base/defined.ts';
import { asObject, isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { type ArmAnswer, describeProblems, problemsIn } from '../../../platforms/azure/arm-error.ts';
import type { AzureConnection } from '../../../platforms/azure/connection.ts';
import { failureOf, notUnderstood } from '../../../platforms/azure/errors.ts';
import { retryAfterOf } from '../../../platforms/azure/retry-after.ts';
import { azureFault, isKnownCode } from '../azure-codes.ts';
import type { Fault } from '../contract.ts';
import { type MeasuredCall, resourceTypeOf } from './measured-call.ts';

type Verb = 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
export interface Call {
  verb: Verb;
  /** Of ARM: `/subscriptions/…`. */
  path: string;
  apiVersion: string;
  query?: Readonly<Record<string, string>>;
  body?: JsonObject;
  headers?: Readonly<Record<string, string>>;
}

/** `absent`: it, or something that it would be in, is not there. `refused`: Azure has said no, and why. */
export type Answered =
  | { state: 'done'; body: Json | undefined }
  | { state: 'absent' }
  | { state: 'changed' }
  | { state: 'refused'; fault: Fault };

/** Lists end after some pages; one that does not end must not keep us for ever. */
const mostPages = 500;
/** Where Azure does not say how long. */
const usualPauseSeconds = 10;

export class ArmCalls {
  readonly #connection: AzureConnection;
  /** Until when Azure wants to be left alone, by what was asked. */
  readonly #quiet = new Map<string, number>();
  readonly #onCall: ((call: MeasuredCall) => void) | undefined;

  constructor(connection: AzureConnection, onCall?: (call: MeasuredCall) => void) {
    this.#connection = connection;
    this.#onCall = onCall;
  }

  /** A failure is one of the way to Azure, or a wish of Azure's to be left alone; whatever it says about the call is an answer. */
  async call(call: Call, signal?: AbortSignal): Promise<Result<Answered>> {
    const { clock } = this.#connection;
    const what = `${call.verb} ${call.path.split('?')[0]}`;
    const pause = (this.#quiet.get(what) ?? 0) - clock.monotonic();
    if (pause > 0) {
      return failed('throttled', `${what}: Azure wants no more requests yet`, { retryAfterSeconds: pause / 1000 });
    }
    this.#quiet.delete(what);
    const begun = clock.monotonic();
    const answer = await this.#send(call, signal);
    this.#onCall?.({
      verb: call.verb,
      resource: resourceTypeOf(call.path),
      ...(answer.ok ? { status: answer.value.status } : {}),
      seconds: (clock.monotonic() - begun) / 1000,
    });
    if (!answer.ok) return answer;
    return this.#judge(call, what, answer.value);
  }

  async get(path: string, apiVersion: string, signal?: AbortSignal): Promise<Result<Answered>> {
    return this.call({ verb: 'GET', path, apiVersion }, signal);
  }

  /** Every item of a list, page after page. What is not there has none. */
  async list(
    path: string,
    apiVersion: string,
    filter: string | undefined,
    signal?: AbortSignal,
  ): Promise<Result<JsonObject[]>> {
    const items: JsonObject[] = [];
    let query: Record<string, string> | undefined = filter === undefined ? {} : { $filter: filter };
    for (let pages = 0; query !== undefined; pages++) {
      if (pages === mostPages) return failed('unavailable', `the list at ${path} has more than ${mostPages} pages`);
      const page: Result<Answered> = await this.call({ verb: 'GET', path, apiVersion, query }, signal);
      if (!page.ok) return page;
      if (page.value.state === 'absent') return ok(items);
      if (page.value.state === 'refused') return faultFailure(page.value.fault, `list of ${path}`);
      const body = page.value.state === 'done' ? asObject(page.value.body) : undefined;
      if (!Array.isArray(body?.value)) return failed('unavailable', `the answer of Azure at ${path} has no list`);
      items.push(...body.value.filter((one) => isObject(one)));
      const next = pageAfter(body.nextLink, path);
      if (!next.ok) return next;
      query = next.value;
    }
    return ok(items);
  }

  async #send(
    { verb, path, apiVersion, query, body, headers }: Call,
    signal?: AbortSignal,
  ): Promise<Result<ArmAnswer>> {
    const search = new URLSearchParams({ 'api-version': apiVersion, ...query });
    return this.#connection.exchange(verb !== 'GET', async ({ endpoint, pipeline, httpClient }) => {
      const { createPipelineRequest, createHttpHeaders } = await import('@azure/core-rest-pipeline');
      const request = createPipelineRequest({
        url: `${endpoint}${encodeURI(path)}?${search}`,
        method: verb,
        headers: createHttpHeaders({
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        }),
        ...defined({ body: body && JSON.stringify(body), abortSignal: signal }),
      });
      return pipeline.sendRequest(httpClient, request);
    });
  }

  #judge({ verb }: Call, what: string, answer: ArmAnswer): Result<Answered> {
    const { status, body } = answer;
    const { clock } = this.#connection;
    const asked = { write: verb !== 'GET', what };
    if (status >= 200 && status < 300) {
      if (verb === 'GET' && body === undefined)
        return { ok: false, error: notUnderstood(answer, asked, 'it is no JSON') };
      return ok({ state: 'done', body });
    }
    const problems = problemsIn(body);
    if (status === 412) return ok({ state: 'changed' });
    if (status === 404 && verb !== 'PUT' && problems.some(({ code }) => saysAbsent(code)))
      return ok({ state: 'absent' });
    if (status === 429) {
      const seconds = retryAfterOf(answer.headers, clock) ?? usualPauseSeconds;
      this.#quiet.set(what, clock.monotonic() + seconds * 1000);
    }
    if (status === 401 || status === 429 || status >= 500 || problems.length === 0) {
      return { ok: false, error: failureOf(answer, asked, clock) };
    }
    const { code = '' } = problems.find((one) => isKnownCode(one.code)) ?? problems[0] ?? {};
    return ok({ state: 'refused', fault: azureFault(code, describeProblems(problems)) });
  }
}

/** A wrong subscription or an unknown type is no proof that something is gone. */
const saysAbsent = (code: string): boolean => /NotFound$/i.test(code) && !/^Subscription/i.test(code);

/** Of the link only the mark of the page is taken: the token must not follow it to somebody else. */
function pageAfter(link: Json | undefined, path: string): Result<Record<string, string> | undefined> {
  if (typeof link !== 'string' || link === '') return ok(undefined);
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || decodeURI(url.pathname).toLowerCase() !== path.toLowerCase()) {
    return failed('unavailable', `the next page of ${path} is somewhere else, so it was not read`);
  }
  url.searchParams.delete('api-version');
  return ok(Object.fromEntries(url.searchParams));
}

/** A refusal as a failure of the call that met it. */
export const faultFailure = ({ kind, code, message }: Fault, what: string): Result<never> =>
  failed(kind, `${what}: ${message}`, { cause: code, code });
