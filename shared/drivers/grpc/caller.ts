import type { Result } from '../../base/result.ts';
import type { CallName, RequestOf, ResponseOf } from '../protocol/service.ts';

/** Makes one call of the protocol. How it gets there (deadline, retries, TLS) is its own matter. */
export type Caller = <C extends CallName>(
  call: C,
  request: Partial<RequestOf<C>>,
  signal: AbortSignal,
) => Promise<Result<ResponseOf<C>>>;

/** The code of a `TaskStatus` without an answer in time. */
export const taskGoesOn = 'TaskGoesOn';
