/**
 * Long-running operations of ARM: where to ask, out of the answer that began one, and one question about it. Nothing here
 * waits.
 */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { type ArmAnswer, problemsIn } from './arm-error.ts';
import { type AzureRequest, failureOf, notUnderstood, operationFailure } from './errors.ts';
import { retryAfterOf } from './retry-after.ts';

/** How ARM is asked about an operation later on: plain data, for a journal. */
export interface OperationHandle {
  url: string;
  /** Which header it came in: `Azure-AsyncOperation` answers with a status, `Location` with a status code. */
  by: 'azure-async-operation' | 'location';
  /** Whether spot capacity was asked for: it comes back sooner, so a failure says another time. */
  spot?: boolean;
}

export type OperationStatus =
  | { state: 'running'; retryAfterSeconds?: number }
  | { state: 'succeeded' }
  /** `failure` has its kind by the operation's own error code: sold out, quota, …; `unavailable` where that says nothing. */
  | { state: 'failed'; failure: Failure };

/** Why this is no URL that we ask, or undefined. The query is never shown: it may hold a signature. */
export function operationUrlProblem(url: string, armEndpoint: string): string | undefined {
  if (!URL.canParse(url)) return 'is not a URL';
  const { origin, pathname } = new URL(url);
  const home = new URL(armEndpoint).origin;
  return origin === home ? undefined : `leads to ${origin}${pathname} instead of ${home}`;
}

/**
 * Where to ask about what was begun. A URL that leads elsewhere is as good as none: then the pool itself is the answer.
 */
export function handleIn({ headers }: ArmAnswer, armEndpoint: string, spot: boolean): OperationHandle | undefined {
  const byHeader = [
    ['azure-async-operation', headers['azure-asyncoperation']],
    ['location', headers.location],
  ] as const;
  for (const [by, url] of byHeader) {
    if (url !== undefined && operationUrlProblem(url, armEndpoint) === undefined)
      return { url, by, ...(spot ? { spot } : {}) };
  }
  return undefined;
}

/** `get` sends one request to ARM. */
export async function askOperation(
  handle: OperationHandle,
  armEndpoint: string,
  clock: Clock,
  get: (url: string) => Promise<Result<ArmAnswer>>,
): Promise<Result<OperationStatus>> {
  const problem = operationUrlProblem(handle.url, armEndpoint);
  if (problem !== undefined) {
    return failed('invalid', `the operation can't be polled: its URL ${problem}`);
  }
  const answer = await get(handle.url);
  return answer.ok ? statusOf(answer.value, handle, clock) : answer;
}

function statusOf(answer: ArmAnswer, handle: OperationHandle, clock: Clock): Result<OperationStatus> {
  const asked: AzureRequest = {
    write: false,
    what: 'the operation on the agent pool',
    ...defined({ spot: handle.spot }),
  };
  const { status } = answer;
  if (status === 404 || status === 410) {
    return failed('not-found', `${asked.what}: ARM no longer knows this operation`, { cause: `status ${status}` });
  }
  if (status >= 200 && status < 300) {
    const state =
      stateIn(answer.body) ?? (status === 202 ? 'InProgress' : handle.by === 'location' ? 'Succeeded' : undefined);
    if (state === undefined) return { ok: false, error: notUnderstood(answer, asked, 'it has no status') };
    return ok(byState(state, answer, asked, clock));
  }
  // The other style has no status for a failure, so the failure itself is the answer.
  if (handle.by === 'location' && [400, 409, 412, 422].includes(status)) {
    return ok(byState('Failed', answer, asked, clock));
  }
  return { ok: false, error: failureOf(answer, asked, clock) };
}

function byState(state: string, answer: ArmAnswer, asked: AzureRequest, clock: Clock): OperationStatus {
  switch (state.toLowerCase()) {
    case 'succeeded':
      return { state: 'succeeded' };
    case 'failed':
    case 'canceled':
    case 'cancelled': {
      return { state: 'failed', failure: operationFailure(problemsIn(answer.body), state, asked) };
    }
    default: {
      const pause = retryAfterOf(answer.headers, clock);
      return { state: 'running', ...defined({ retryAfterSeconds: pause }) };
    }
  }
}

/** The status of an operation, or of the resource where ARM answers with that. */
function stateIn(body: Json | undefined): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (typeof body.status === 'string') return body.status;
  const { properties } = body;
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return undefined;
  return typeof properties.provisioningState === 'string' ? properties.provisioningState : undefined;
}
