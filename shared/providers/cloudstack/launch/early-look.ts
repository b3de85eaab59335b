/**
 * A look at the job of a deploy right after it began. CloudStack looks for a host in the job, and says within a moment that there is none.
 * Known then, it is an answer to this very deploy, and the next offering is tried at once; known later, the claim would wait until nothing
 * of the attempt can still appear. A look costs a call and a moment, so only deploys look that may well meet a lack.
 */
import type { Failure } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { pause } from '../../../base/timers.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { saysSomeAddress } from '../../../platforms/cloudstack/said.ts';
import type { CreateRequest } from '../../contract.ts';

export interface EarlyLookParts {
  client: Pick<CloudStackClient, 'job'>;
  clock: Clock;
  /** How long CloudStack is given to find a host. */
  afterMs: number;
}

type Deploy = Pick<CreateRequest, 'offering' | 'owner'>;

/** For so long after a lack of capacity the next deploys are likely to meet it too. */
const doubtMs = 600_000;

export class EarlyLook {
  readonly #parts: EarlyLookParts;
  #lackedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: EarlyLookParts) {
    this.#parts = parts;
  }

  /** Why the job has failed already; undefined: it has not, or nobody knows yet. */
  async at(deploy: Deploy, job: string | undefined, signal: AbortSignal): Promise<Failure | undefined> {
    if (job === undefined || !this.#isDoubtful(deploy)) return undefined;
    await pause(this.#parts.afterMs, signal);
    const state = await this.#parts.client.job(job, signal);
    if (!state.ok || state.value.state !== 'failed') return undefined;
    const { failure } = state.value;
    this.lacked(failure);
    return failure.kind === 'insufficient-capacity' || failure.kind === 'quota-exceeded' ? failure : undefined;
  }

  /** A job has told so. A fixed address that is in use comes under the same code, and says nothing about hosts. */
  lacked(failure: Failure): void {
    if (failure.kind === 'insufficient-capacity' && !saysSomeAddress(failure)) this.#lackedAt = this.#parts.clock.now();
  }

  /** What is preemptible, what comes after a refusal, and what comes soon after a lack that another claim met. */
  #isDoubtful({ offering, owner }: Deploy): boolean {
    const lacked = this.#parts.clock.now() - this.#lackedAt < doubtMs;
    return offering.capacityType === 'spot' || owner.attempt > 1 || lacked;
  }
}
