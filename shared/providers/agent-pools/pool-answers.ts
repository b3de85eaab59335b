/** From ARM's answers about pools to values: the same for both clients. */
import { defined } from '../../base/defined.ts';
import { ok, type Result } from '../../base/result.ts';
import { type ArmAnswer, problemsIn } from '../../platforms/azure/arm-error.ts';
import type { AzureConnection } from '../../platforms/azure/connection.ts';
import { type AzureRequest, failureOf, notUnderstood } from '../../platforms/azure/errors.ts';
import { handleIn } from '../../platforms/azure/operation.ts';
import { retryAfterOf } from '../../platforms/azure/retry-after.ts';
import type { BegunOperation, Pool } from './agent-pools.ts';
import { readPool, readPoolList } from './pool-body.ts';

type Answered = Result<ArmAnswer>;

const isSuccess = ({ status }: ArmAnswer): boolean => status >= 200 && status < 300;

export function poolOf(answer: Answered, asked: AzureRequest, { clock }: AzureConnection): Result<Pool> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const pool = readPool(answer.value.body);
  return pool === undefined
    ? { ok: false, error: notUnderstood(answer.value, asked, 'it is not an agent pool') }
    : ok(pool);
}

type Page = Result<{ items: Pool[]; next?: string }>;

/**
 * The pool, or that there is none. A 404 that does not say what is missing may as well be about the cluster, its group, or a
 * gateway in between; and whoever believes that a pool is gone makes another one. The list of the cluster's pools tells:
 * where it can be read and has no such pool, there is none.
 */
export async function poolOrNone(
  answer: Answered,
  asked: AzureRequest & { poolName: string },
  connection: AzureConnection,
  list: (page: string | undefined) => Promise<Page>,
): Promise<Result<Pool>> {
  const pool = poolOf(answer, asked, connection);
  if (pool.ok || pool.error.kind !== 'not-found' || (answer.ok && namesPool(answer.value))) return pool;
  let page: string | undefined;
  do {
    const listed = await list(page);
    if (!listed.ok) return listed;
    const there = listed.value.items.find(({ name }) => name === asked.poolName);
    if (there !== undefined) return ok(there);
    page = listed.value.next;
  } while (page !== undefined);
  return pool;
}

const namesPool = ({ body }: ArmAnswer): boolean =>
  problemsIn(body).some(({ code, message }) => /agent ?pool/i.test(code) || /agent ?pool/i.test(message));

export function pageOf(
  answer: Answered,
  asked: AzureRequest,
  { clock }: AzureConnection,
): Result<{ items: Pool[]; next?: string }> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const page = readPoolList(answer.value.body);
  return page === undefined
    ? { ok: false, error: notUnderstood(answer.value, asked, 'it is not a list of agent pools') }
    : ok(page);
}

/** What was begun. An answer without a body that we understand is fine as long as it says where to ask. */
export function begunOf(
  answer: Answered,
  asked: AzureRequest,
  { clock, options }: AzureConnection,
  about: 'create' | 'delete',
): Result<BegunOperation> {
  if (!answer.ok) return answer;
  if (!isSuccess(answer.value)) return { ok: false, error: failureOf(answer.value, asked, clock) };
  const operation = handleIn(answer.value, options.cloud.armEndpoint, asked.spot === true);
  const pool = readPool(answer.value.body);
  if (operation === undefined && pool === undefined && about === 'create') {
    return {
      ok: false,
      error: notUnderstood(answer.value, asked, 'it is not an agent pool and does not name an operation'),
    };
  }
  const pause = retryAfterOf(answer.value.headers, clock);
  return ok(defined({ operation, retryAfterSeconds: pause, pool }));
}
