/**
 * What activities are asked and what they answer: plain data that fits a journal. The workflows (launch, terminate,
 * discard) read nothing else, so this page and a workflow together are the whole story of a step.
 */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import type { Instance } from '../../providers/contract.ts';
import type { Closer, Refusal } from '../claims/attempt/attempt.ts';
import type { OfferingRef } from '../claims/choice/offerings.ts';
import type { DrainTarget } from './drain-target.ts';
import type { Cause } from './report/cause.ts';
import type { LastReport } from './report/say.ts';
import type { Again } from './retry-later.ts';
import type { ClaimRef } from './services.ts';

/** The claim said no: it is gone, being deleted, or somebody else has moved on. The workflow reads it anew. */
export type Refused = { do: 'refused'; why: Refusal };

/** A closing has a name of its own: after a restore the same launch may close the same attempt again. */
export type Passed = { attempt: number; closer: Closer };

export type ChooseInput = {
  ref: ClaimRef;
  /** The attempt that this launch has closed and discarded, if it has, and the name of that closing. */
  passed?: Passed;
  /** In the first round of a launch: what began it. */
  cause?: Cause;
};

/**
 * Which provider a step is for: the name that the configuration has it under, and its type, which says whose function does the step.
 * Plans from before the type was kept have none.
 */
export type ProviderRef = { provider: string; providerType?: string };

/** What a plan or a beginning says of the provider, to be handed on to every further step. */
export const providerIn = ({ provider, providerType }: ProviderRef): ProviderRef => ({
  provider,
  ...defined({ providerType }),
});

/** A price of null is unknown. */
export type PricedOffering = OfferingRef & { price: number | null };

export type Plan =
  | Again
  /** Not ours, gone, deleting or at rest. */
  | { do: 'end'; why: string }
  | {
      do: 'begin';
      attempt: number;
      provider: string;
      providerType?: string;
      offering: OfferingRef;
      /** Per hour; null where the catalog has none, absent where an attempt is gone on with. */
      price?: number | null;
      /** For a provider that takes several at once; an attempt that is gone on with in a later launch has none. */
      alternatives?: PricedOffering[];
      launchSeconds: number;
      closer?: Closer;
    }
  | { do: 'register'; attempt: number; provider: string; providerType?: string; providerID: string }
  /** What a predecessor made for the claim is its first attempt now. */
  | {
      do: 'adopted';
      attempt: number;
      provider: string;
      providerType?: string;
      instance: Instance;
      at: number;
      launchSeconds: number;
    }
  /** An attempt that can't go on as it stands: it is closed under our own name, whoever closed it before. */
  | { do: 'reclose'; attempt: number; provider: string; providerType?: string; why: string }
  /** Nothing can be had. */
  | { do: 'fail'; failure: Failure; reason: string };

export type BeginCreateInput = {
  ref: ClaimRef;
  attempt: number;
  provider: string;
  providerType?: string;
  offering: OfferingRef;
  price?: number | null;
  alternatives?: OfferingRef[];
  /** With a new attempt: the closing of the one before. */
  closer?: Closer;
};

export type BeginCreateResult =
  | Again
  | Refused
  | { do: 'created'; attempt: number; instance: Instance }
  | { do: 'creating'; attempt: number; handle: Json; seconds: number; at: number }
  /** Nobody knows whether it took effect: resolve this same attempt. */
  | { do: 'unresolved'; failure: Failure }
  /** Without idempotency the one right is taken: wait until its write must have landed, then look. */
  | { do: 'right-taken'; settleSeconds: number }
  /** The provider said no. `refusedTo` names the execution that was told so; `seconds`: the next attempt is not before. */
  | { do: 'rejected'; failure: Failure; refusedTo?: string; final: boolean; seconds?: number };

export type PollCreateInput = {
  ref: ClaimRef;
  attempt: number;
  provider: string;
  providerType?: string;
  handle: Json;
  /** When the time that counts against the deadline began or went on. */
  since: number;
  /** How often in a row the provider would not say. */
  heldUp: number;
};
export type PollCreateResult =
  | Refused
  | { do: 'created'; instance: Instance }
  /** The provider asks us to wait: not its fault, not ours, and not the machine's. */
  | { do: 'held-up'; seconds: number; spentSeconds: number; goesOnAt: number }
  | { do: 'rejected'; failure: Failure; final: boolean; seconds?: number };

export type FindCreatedInput = { ref: ClaimRef; attempt: number; provider: string; providerType?: string };
export type FindCreatedResult =
  | Again
  | Refused
  | { do: 'created'; instance: Instance }
  /** It is there, but can't be used yet. */
  | Extract<BeginCreateResult, { do: 'creating' }>
  | { do: 'nothing' };

export type AdvanceInput = {
  ref: ClaimRef;
  attempt: number;
  provider: string;
  providerType?: string;
  providerID: string;
  /** Until Launched is written; afterwards the claim has it. */
  instance?: Instance;
  /** When that instance was first reported, if Launched could have been written then and was not. */
  launchedAt?: number;
  /** Of that instance, where the plan knew it; null where it has none. */
  price?: number | null;
  /** Under which name the provider expects the node to join, where it knows. */
  nodeName?: string;
  /** Say now what is waited for: nothing has happened for a while. Otherwise only what is reached is written. */
  say?: true;
};
export type AdvanceResult =
  | Again
  | Refused
  | { do: 'ready' }
  /**
   * `unsaid`: the claim does not say yet what it waits for, because that usually is over soon. `launchedAt`: nor does it say Launched, which
   * was reached then; whoever asks next hands on the instance.
   */
  | { do: 'wait'; for: string; seconds: number; unsaid?: boolean; launchedAt?: number }
  | { do: 'overdue'; failure: Failure; reason: string };

export type CloseInput = {
  ref: ClaimRef;
  attempt: number;
  provider: string;
  providerType?: string;
  failure: Failure;
  reason: string;
  refusedTo?: string;
};
export type CloseResult = Again | Refused | { do: 'closed'; settleSeconds: number; closer: Closer };

/** `attempt` absent: every instance of the claim, which must be being deleted. `byRecord`: the recorded one, by its id. */
export type DiscardInput = {
  ref: ClaimRef;
  provider: string;
  providerType?: string;
  attempt?: number;
  byRecord?: boolean;
  machine?: AttemptMachine;
};
/** The machine of an attempt, where one was made: its Node goes with it, also when the machine is gone already. */
export type AttemptMachine = { providerID: string; nodeName?: string };
export type DiscardResult =
  | Again
  | Refused
  | { do: 'nothing' }
  /** `at`: when the deletes were begun; `seconds`: how long the cloud says they take; `nodepool`: for the metrics, absent in older histories. */
  | { do: 'deleting'; handles: Json[]; nodes: NodeHint[]; at: number; seconds: number; nodepool?: string };
export type PollDiscardInput = {
  ref: ClaimRef;
  provider: string;
  providerType?: string;
  handles: Json[];
  nodes: NodeHint[];
  at: number;
  nodepool?: string;
  /** The claim is at its end, and says so if this takes long. */
  ending?: boolean;
};
/** A Node that may have joined for an instance before anybody recorded it. */
export type NodeHint = { name: string; providerID: string };

/** `passed`: the attempt that this launch closed and discarded last, if any. */
export type FailInput = { ref: ClaimRef; passed?: Passed; failure: Failure; reason: string };
/** `seconds`: until the next try; absent where there is none, because the claim was given back. */
export type FailResult = Again | Refused | { do: 'failed'; seconds?: number };

export type BeginTerminateResult =
  | Again
  | { do: 'end'; why: string }
  | { do: 'launch-runs' }
  | {
      do: 'go';
      provider: string;
      providerType?: string;
      /** 0: no wait is needed (rule 7). Counted from `at`. */
      settleSeconds: number;
      at: number;
      /** Nothing was ever bought for this claim. */
      empty: boolean;
      target: DrainTarget;
    };

export type DrainInput = {
  ref: ClaimRef;
  /** When the claim's end began; what is quick is not spoken of. */
  since: number;
  /** Rounds in a row without progress. */
  idle: number;
  /** In the first round, fresh from the claim; later rounds read it anew. */
  target?: DrainTarget;
  /** What the claim was made to say last. */
  said?: LastReport;
};
export type DrainResult =
  | Again
  | { do: 'drained'; nodes: NodeSeen[] }
  | { do: 'wait'; seconds: number; progress: string; said?: LastReport };
/** A Node as the drain saw it, so that it can be removed without another look. */
export type NodeSeen = { name: string; uid: string; finalizers: string[]; deleting: boolean };

export type FinishInput = { ref: ClaimRef; provider: string; providerType?: string; empty: boolean; nodes: NodeSeen[] };
export type FinishResult = Again | Refused | { do: 'finished' } | { do: 'more' };
