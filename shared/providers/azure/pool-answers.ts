/** From ARM's answers about pools to values: the same for both clients. */
import { ok, type Result } from '../../claims/errors.ts';
import type { Begun, Pool } from './agent-pools.ts';
import type { ArmAnswer } from './arm-error.ts';
import type { AzureConnection } from './connection.ts';
import { type Asked, failureOf, notUnderstood } from './errors.ts';
import { handleIn } from './operation.ts';
import { readPool, readPoolList } from './pool-body.ts';
import { retryAfterOf } from './retry-after.ts';

type Answered = Result<ArmAnswer>;

const isSuccess = ({ status }: ArmAnswer): boolean => status >= 200 && status < 300;

export function poolOf(answer: Answered, asked: Asked, { clock }: AzureConnection): Result<Pool> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const pool = readPool(answer.value.body);
  return pool === undefined
    ? { ok: false, error: notUnderstood(answer.value, asked, 'it is no agent pool') }
    : ok(pool);
}

export function pageOf(
  answer: Answered,
  asked: Asked,
  { clock }: AzureConnection,
): Result<{ items: Pool[]; next?: string }> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const page = readPoolList(answer.value.body);
  return page === undefined
    ? { ok: false, error: notUnderstood(answer.value, asked, 'it is no list of agent pools') }
    : ok(page);
}

/** What was begun. An answer without a body that we understand is fine as long as it says where to ask. */
export function begunOf(
  answer: Answered,
  asked: Asked,
  { clock, options }: AzureConnection,
  about: 'create' | 'delete',
): Result<Begun> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const operation = handleIn(answer.value, options.cloud.armEndpoint, asked.spot === true);
  const pool = readPool(answer.value.body);
  if (operation === undefined && pool === undefined && about === 'create') {
    return { ok: false, error: notUnderstood(answer.value, asked, 'it is no agent pool and names no operation') };
  }
  const pause = retryAfterOf(answer.value.headers, clock);
  return ok({
    ...(operation === undefined ? {} : { operation }),
    ...(pause === undefined ? {} : { retryAfterSeconds: pause }),
    ...(pool === undefined ? {} : { pool }),
  });
}
