/** What a migration works with: a management cluster, its operator, and where requests are kept. */
import { failed, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { ErrorCode } from '../../observe/errors/catalog.ts';
import type { ClusterDriver } from '../drivers/contract.ts';
import type { PoolTypes } from '../pool-types/pool-type.ts';
import type { RequestStore } from '../store/contract.ts';

export interface MigrationParts {
  /** Its field manager is that of the host that carries requests out: what is taken over here is the host's. */
  api: ClusterApi;
  driver: ClusterDriver;
  store: RequestStore;
  types: PoolTypes;
  /** Name of the deployment that carries requests out. */
  deployment: string;
  clock: Clock;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** For people who watch. */
  say(step: MigrationStep, subject: string): void;
}

/** In their order; each may have been done before, and then does nothing. */
export type MigrationStep =
  | 'recorded'
  | 'disarmed'
  | 'suspended'
  | 'settled'
  | 'owners-cut'
  | 'let-go'
  | 'taken'
  | 'proved'
  | 'handed-over'
  | 'stopped'
  | 'released'
  | 'recreated'
  | 'given-back'
  | 'guard-lifted'
  | 'graph-deleted'
  | 'rights-removed'
  | 'committed';

export const migrationFailure = (code: ErrorCode, message: string): Result<never> =>
  failed('invalid', message, { code, reason: code });

export const today = ({ clock }: Pick<MigrationParts, 'clock'>): string =>
  new Date(clock.now()).toISOString().slice(0, 10);

/** Until `look` answers with something, or the time is up. */
export async function waitUntil<T>(
  { clock, wait }: Pick<MigrationParts, 'clock' | 'wait'>,
  { everyMs, forMs }: { everyMs: number; forMs: number },
  look: () => Promise<Result<T | undefined>>,
  signal: AbortSignal,
): Promise<Result<T | undefined>> {
  const until = clock.monotonic() + forMs;
  for (;;) {
    const seen = await look();
    if (!seen.ok && seen.error.kind !== 'unavailable' && seen.error.kind !== 'throttled') return seen;
    if (seen.ok && seen.value !== undefined) return seen;
    if (signal.aborted) return failed('unavailable', 'the command was stopped');
    if (clock.monotonic() >= until) return seen;
    await wait(everyMs, signal);
  }
}
