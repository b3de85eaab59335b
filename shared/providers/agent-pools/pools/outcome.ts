/** What a create that has failed for good means for its attempt. */
import { type ErrorKind, type Failure, failed, type Result } from '../../../base/result.ts';
import type { Pool } from '../agent-pools.ts';

/** These are said as they are: they say what to do next, whatever became of the pool. */
const telling: ReadonlySet<ErrorKind> = new Set(['insufficient-capacity', 'quota-exceeded', 'invalid']);

export const isTelling = ({ kind }: Failure): boolean => telling.has(kind);

/**
 * An operation that is over will not go on, so a kind that means "ask again" must not get through: the claim would wait for
 * its deadline. A missing right needs somebody to grant it. For the rest, another size may do better, and this one is left
 * alone for a while: that keeps a pool that always fails from being made and deleted without end.
 */
export function finalFailure({ kind, message, cause }: Failure): Result<never> {
  const more = cause === undefined ? {} : { cause };
  return failed(kind === 'unauthorised' || kind === 'not-ready' ? 'invalid' : 'insufficient-capacity', message, more);
}

export function failedPool(pool: Pool): Result<never> {
  const why = pool.problem === undefined ? 'Azure gave no reason' : pool.problem;
  return failed(
    'insufficient-capacity',
    `agent pool ${pool.name} ended as ${pool.provisioningState} (${why}); it will be deleted, and another size is tried if the claim allows one`,
  );
}
