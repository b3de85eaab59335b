/**
 * The one table from error kind to what happens: what the workflow does, and which condition, event and metric the user
 * sees. Nobody else looks at an error kind to decide.
 */

import { type Backoff, pauseSeconds } from '../../base/backoff.ts';
import type { ConditionStatus } from '../../base/kubernetes/object.ts';
import type { ErrorKind, Failure } from '../../base/result.ts';
import type { Random } from '../../base/runtime.ts';
import { conditionTypes } from './spec/well-known.ts';

/** Which call to a provider failed: beginning a create, asking how it goes, or either half of a delete. */
export type ProviderPhase = 'create' | 'poll' | 'delete';

/**
 * - `next-offering`: pass this attempt over (close it, discard what it left) and try the next offering.
 * - `retry`: the same call again, after growing pauses.
 * - `wait`: the same call again, when the other side is ready; not our fault, not the provider's.
 * - `resolve`: nobody knows whether it happened: look for the instance of this attempt, then repeat the call.
 * - `fail`: give this attempt up, say why on the claim, and let it rest.
 * - `done`: this error is what was wanted.
 */
export type Action = 'next-offering' | 'retry' | 'wait' | 'resolve' | 'fail' | 'done';

export interface Consequence {
  readonly action: Action;
  /** Absent with `done`. */
  readonly condition?: { readonly type: string; readonly status: ConditionStatus; readonly reason: string };
  readonly event?: { readonly type: 'Normal' | 'Warning'; readonly reason: string };
  /** Label value of the metrics that count errors. */
  readonly metricReason: string;
  /** How long the offering is passed over by every claim. */
  readonly marksUnavailableSeconds?: number;
  /** Whether the time until the next try counts against the stage's deadline. */
  readonly countsAgainstDeadline: boolean;
  /** Pauses before the next try; with `fail`, before the claim as a whole is tried again. */
  readonly pause: Backoff;
}

/** How long an offering is passed over when the provider does not say. */
const soldOutSeconds = 180;
const quotaSeconds = 600;
/** Some sizes are closed to an account for the whole day; after that, asking again costs little. */
const longestMarkSeconds = 86_400;

const launched = (status: ConditionStatus, reason: string) => ({ type: conditionTypes.launched, status, reason });
const terminating = (reason: string) => ({
  type: conditionTypes.instanceTerminating,
  status: 'Unknown' as const,
  reason,
});
const warning = (reason: string) => ({ type: 'Warning' as const, reason });

const soon: Backoff = { firstSeconds: 1, maxSeconds: 60 };
const noPause: Backoff = { firstSeconds: 0, maxSeconds: 0 };
/** Somebody has to grant or repair something first. */
const patient: Backoff = { firstSeconds: 30, maxSeconds: 900 };
/** Only a change by the user can help; looking again now and then notices a changed node class. */
const rare: Backoff = { firstSeconds: 300, maxSeconds: 3600 };

const whileCreating = {
  'insufficient-capacity': {
    action: 'next-offering',
    condition: launched('Unknown', 'InsufficientCapacity'),
    event: warning('InsufficientCapacity'),
    metricReason: 'insufficient_capacity',
    marksUnavailableSeconds: soldOutSeconds,
    countsAgainstDeadline: true,
    pause: noPause,
  },
  'quota-exceeded': {
    action: 'next-offering',
    condition: launched('Unknown', 'QuotaExceeded'),
    event: warning('QuotaExceeded'),
    metricReason: 'quota_exceeded',
    marksUnavailableSeconds: quotaSeconds,
    countsAgainstDeadline: true,
    pause: noPause,
  },
  throttled: {
    action: 'wait',
    condition: launched('Unknown', 'Throttled'),
    metricReason: 'throttled',
    countsAgainstDeadline: false,
    pause: soon,
  },
  conflict: {
    action: 'wait',
    condition: launched('Unknown', 'OperationInProgress'),
    metricReason: 'conflict',
    countsAgainstDeadline: false,
    pause: soon,
  },
  'outcome-unknown': {
    action: 'resolve',
    condition: launched('Unknown', 'OutcomeUnknown'),
    metricReason: 'outcome_unknown',
    countsAgainstDeadline: true,
    pause: soon,
  },
  'not-ready': {
    action: 'wait',
    condition: launched('Unknown', 'NodeClassNotReady'),
    event: warning('NodeClassNotReady'),
    metricReason: 'node_class_not_ready',
    countsAgainstDeadline: true,
    pause: soon,
  },
  invalid: {
    action: 'fail',
    condition: launched('False', 'InvalidConfiguration'),
    event: warning('InvalidConfiguration'),
    metricReason: 'invalid',
    countsAgainstDeadline: true,
    pause: rare,
  },
  unavailable: {
    action: 'retry',
    condition: launched('Unknown', 'ProviderUnavailable'),
    metricReason: 'unavailable',
    countsAgainstDeadline: true,
    pause: soon,
  },
} as const satisfies Partial<Record<ErrorKind, Consequence>>;

/** Deleting never gives up: a delete that fails for good leaves a machine that costs money. */
const whileDeleting = (reason: string, metricReason: string, more: Partial<Consequence> = {}): Consequence => ({
  action: 'retry',
  condition: terminating(reason),
  metricReason,
  countsAgainstDeadline: true,
  pause: soon,
  ...more,
});

/** Total over phases and kinds: a kind that is missing here is a type error. */
export const decisions: Readonly<Record<ProviderPhase, Readonly<Record<ErrorKind, Consequence>>>> = {
  create: {
    ...whileCreating,
    // Something that the create needs (a network, an image, a group) is not there.
    'not-found': {
      action: 'fail',
      condition: launched('False', 'DependencyNotFound'),
      event: warning('DependencyNotFound'),
      metricReason: 'not_found',
      countsAgainstDeadline: true,
      pause: patient,
    },
    unauthorised: {
      action: 'fail',
      condition: launched('False', 'Unauthorized'),
      event: warning('Unauthorized'),
      metricReason: 'unauthorised',
      countsAgainstDeadline: true,
      pause: patient,
    },
  },
  poll: {
    ...whileCreating,
    // What was begun is no longer there: the attempt is lost, and nothing is said about the offering.
    'not-found': {
      action: 'next-offering',
      condition: launched('Unknown', 'InstanceLost'),
      event: warning('InstanceLost'),
      metricReason: 'instance_lost',
      countsAgainstDeadline: true,
      pause: soon,
    },
    // The machine may well come up while we may not look: giving up now could not even delete it.
    unauthorised: {
      action: 'retry',
      condition: launched('Unknown', 'Unauthorized'),
      event: warning('Unauthorized'),
      metricReason: 'unauthorised',
      countsAgainstDeadline: true,
      pause: patient,
    },
  },
  delete: {
    'not-found': { action: 'done', metricReason: 'not_found', countsAgainstDeadline: false, pause: noPause },
    'insufficient-capacity': whileDeleting('ProviderUnavailable', 'insufficient_capacity'),
    'quota-exceeded': whileDeleting('ProviderUnavailable', 'quota_exceeded'),
    throttled: whileDeleting('Throttled', 'throttled', { action: 'wait', countsAgainstDeadline: false }),
    conflict: whileDeleting('OperationInProgress', 'conflict', { action: 'wait', countsAgainstDeadline: false }),
    'outcome-unknown': whileDeleting('OutcomeUnknown', 'outcome_unknown'),
    'not-ready': whileDeleting('NodeClassNotReady', 'node_class_not_ready', { action: 'wait' }),
    unauthorised: whileDeleting('Unauthorized', 'unauthorised', { event: warning('Unauthorized'), pause: patient }),
    invalid: whileDeleting('DeleteRefused', 'invalid', { event: warning('DeleteRefused'), pause: patient }),
    unavailable: whileDeleting('ProviderUnavailable', 'unavailable'),
  },
};

export function decide(phase: ProviderPhase, { kind, reason }: Pick<Failure, 'kind' | 'reason'>): Consequence {
  const usual = decisions[phase][kind];
  if (reason === undefined || usual.condition === undefined) return usual;
  const { condition, event } = usual;
  return {
    ...usual,
    condition: { ...condition, reason },
    ...(event === undefined ? {} : { event: { ...event, reason } }),
  };
}

/** The pause before the next try, after so many failures in a row; never shorter than the provider asked for. */
export const pauseAfter = (decision: Consequence, failure: Failure, failures: number, random: Random): number =>
  pauseSeconds(failures, { ...decision.pause, random, retryAfterSeconds: failure.retryAfterSeconds });

/** How long to pass the offering over, if at all: what the table says, or longer if the provider says so. */
export function unavailableSeconds(decision: Consequence, failure: Failure): number | undefined {
  if (decision.marksUnavailableSeconds === undefined) return undefined;
  // `||`, because a header that was no number must not make the mark one either.
  const asked = Math.min(failure.retryAfterSeconds || 0, longestMarkSeconds);
  return Math.max(asked, decision.marksUnavailableSeconds);
}
