/** What an API server's answer means for us: the one place where HTTP statuses become kinds of failure. */

import type { V1Status, V1StatusCause, V1StatusDetails } from '@kubernetes/client-node';
import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import type { ErrorKind, Failure } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { cutText } from '../../base/text.ts';
import { bodyText } from '../../net/foreign-body.ts';
import { answerTooLong } from '../../net/http-body.ts';
import { type HttpFailure, type HttpResponse, retryAfterSeconds } from '../../net/http-client.ts';
import { type EvictionRefusal, failureCodes, type Resource } from '../contract.ts';

/** What was asked, as far as it matters for the meaning of the answer. */
export interface KubeRequest {
  resource: Resource;
  /** The object's name; absent for a collection. */
  name?: string;
  write: boolean;
  /** A JSON patch with a `test` in it. */
  tests?: boolean;
}

/** The parts of a Kubernetes Status that we read. A proxy's error page has none of them. */
interface Status
  extends Pick<V1Status, 'reason' | 'message'>,
    Pick<V1StatusDetails, 'name' | 'kind' | 'retryAfterSeconds'> {
  causes: V1StatusCause[];
}

const maxCauses = 5;
/** The list of what a schema refuses can be long; longer is no message. */
const longestSaid = 4096;

/** The failure behind any status but 2xx. */
export function failureOf(answer: HttpResponse, asked: KubeRequest, clock: Clock): Failure {
  const body = answer.json();
  const status = readStatus(body);
  const said = describe(status, answer);
  const pause = retryAfterSeconds(answer.headers, clock) ?? status?.retryAfterSeconds;
  const make = (kind: ErrorKind, message: string, code?: string): Failure => ({
    kind,
    message,
    ...defined({ retryAfterSeconds: pause, code }),
  });

  if (answer.status === 404) {
    // Its maker may be about to come: no answer about the object.
    if (asked.write && status?.kind === 'namespaces' && asked.resource.plural !== 'namespaces') {
      return make('unavailable', said, failureCodes.namespaceMissing);
    }
    return meansThisObject(status, asked)
      ? make('not-found', said)
      : make(
          'unavailable',
          `The server does not serve ${nameOf(asked.resource)}, or another server responded: ${said}`,
          failureCodes.notServed,
        );
  }
  if (answer.status === 409) return make('conflict', said);
  // Only the first page of a list can be had at any time; the rest needs a snapshot that the server keeps for minutes.
  if (answer.status === 410) return make('conflict', `The list has expired; start it again: ${said}`);
  if (answer.status === 429) return make('throttled', said);
  if (answer.status === 401) {
    const advice = 'the API server rejects the credentials: they are wrong, expired, or for another cluster';
    return make('unauthorised', `${said}: ${advice}`, failureCodes.unauthenticated);
  }
  if (answer.status === 403) return make('unauthorised', said);
  if (answer.status === 408) return make('unavailable', said);
  if (answer.status >= 400 && answer.status < 500) {
    if (answer.status === 422 && asked.tests === true && isFailedTest(status)) return make('conflict', said);
    // A write for another uid: the server says that the field can't be changed, and means that it is another object.
    if (answer.status === 422 && asked.write && status?.causes.some(({ field }) => field === 'metadata.uid') === true) {
      return make('conflict', said);
    }
    return make('invalid', said);
  }
  // The server could not read what was applied: it says so with the status of its own mistakes, and has changed nothing.
  if (answer.status === 500 && /^failed to create typed patch object/.test(status?.message ?? '')) {
    return make('invalid', said);
  }
  // A server error may come after the effect: a time-out between API server and etcd, or a proxy that lost patience.
  return make(asked.write && answer.status >= 500 ? 'outcome-unknown' : 'unavailable', said);
}

/**
 * A failed test comes as a 422 that gives no cause. A body that breaks the schema names its fields, a policy its rule, and a
 * webhook says that it denied: those say no however often they are asked.
 */
const isFailedTest = (status: Status | undefined): boolean =>
  status !== undefined && status.causes.length === 0 && !/ denied (the )?request\b/.test(status.message ?? '');

/** The pause that a Status asks for, where no header does. */
export function retryAfterInBody(answer: HttpResponse): number | undefined {
  return readStatus(answer.json())?.retryAfterSeconds;
}

/** Whether an eviction was refused by a budget, rather than by a server that is busy or broken. */
export function evictionRefusal(answer: HttpResponse): EvictionRefusal | undefined {
  if (answer.status !== 429 && answer.status !== 500) return undefined;
  const status = readStatus(answer.json());
  if (answer.status === 429) {
    return status?.causes.some(({ reason }) => reason === 'DisruptionBudget') === true ? 'budget' : undefined;
  }
  // The server gives this case no reason of its own, only words.
  return /(more than one|multiple) PodDisruptionBudget/i.test(status?.message ?? '') ? 'several-budgets' : undefined;
}

/** The failure behind an eviction's answer. */
export function evictionFailureOf(answer: HttpResponse, asked: KubeRequest, clock: Clock) {
  const failure = failureOf(answer, asked, clock);
  const refusedBy = evictionRefusal(answer);
  if (refusedBy === undefined) return failure;
  if (refusedBy === 'several-budgets') return { ...failure, kind: 'invalid' as const, refusedBy };
  // Which budget it was, and what it needs, stands in the causes only.
  const causes = readStatus(answer.json())?.causes.flatMap(({ message }) => message ?? []) ?? [];
  return { ...failure, message: cutText([failure.message, ...causes].join(': '), longestSaid), refusedBy };
}

/** The failure behind an exchange without an answer. */
export function failureWithoutAnswer(failure: HttpFailure, write: boolean): Failure {
  const { message, sent } = failure;
  const code = failure.code === answerTooLong ? failureCodes.tooLong : failure.code;
  return { kind: write && sent ? 'outcome-unknown' : 'unavailable', message, ...defined({ code }) };
}

/** Whether a Status (of a watch's ERROR event, say) means that the resourceVersion is too old. */
export function isExpired(body: Json | undefined): boolean {
  const status = asObject(body);
  return status?.code === 410 || status?.reason === 'Expired' || status?.reason === 'Gone';
}

/** The server's own words about a Status, for a message. */
export function statusText(body: Json | undefined): string {
  return cutText(readStatus(body)?.message ?? bodyText(JSON.stringify(body) ?? ''), longestSaid);
}

/** A 404 is about our object only if it says so by name; a missing namespace or kind gives a 404 as well. */
function meansThisObject(status: Status | undefined, asked: KubeRequest): boolean {
  if (status?.name === undefined || status.name === '' || status.name !== asked.name) return false;
  const kind = status.kind?.toLowerCase();
  return kind === undefined || kind === asked.resource.plural || kind === asked.resource.kind.toLowerCase();
}

const describe = (status: Status | undefined, answer: HttpResponse): string =>
  cutText(described(status, answer), longestSaid);

function described(status: Status | undefined, answer: HttpResponse): string {
  if (status === undefined) return `HTTP ${answer.status} ${bodyText(answer.text)}`.trimEnd();
  const causes = status.causes
    .filter((cause) => cause.field !== undefined && status.message?.includes(cause.message ?? cause.field) !== true)
    .slice(0, maxCauses)
    .map((cause) => `${cause.field}: ${cause.message ?? 'not allowed'}`);
  const text = `${status.message ?? status.reason ?? ''} (HTTP ${answer.status})`.trimStart();
  return causes.length === 0 ? text : `${text}: ${causes.join('; ')}`;
}

function readStatus(body: Json | undefined): Status | undefined {
  const status = asObject(body);
  if (status?.kind !== 'Status') return undefined;
  const details = asObject(status.details);
  const causes = Array.isArray(details?.causes) ? details.causes : [];
  return {
    ...text('reason', status.reason),
    ...text('message', status.message),
    ...text('name', details?.name),
    ...text('kind', details?.kind),
    ...(typeof details?.retryAfterSeconds === 'number' && details.retryAfterSeconds > 0
      ? { retryAfterSeconds: details.retryAfterSeconds }
      : {}),
    causes: causes.map((cause) => ({
      ...text('reason', asObject(cause)?.reason),
      ...text('field', asObject(cause)?.field),
      ...text('message', asObject(cause)?.message),
    })),
  };
}

function text<K extends string>(key: K, value: Json | undefined): { [P in K]?: string } {
  return typeof value === 'string' ? ({ [key]: value } as { [P in K]?: string }) : {};
}

function nameOf(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
