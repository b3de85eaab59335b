/** What is known of a create after each gate. */

import type { Result } from '../../../../base/result.ts';
import type { CreateProgress } from '../../../../providers/contract.ts';
import type { Serving } from '../../../../providers/serving.ts';
import type { ActivityContext } from '../../../../workflow/contract.ts';
import type { AttemptRecord } from '../../../claims/attempt/attempt.ts';
import type { NodeClass } from '../../../offerings/node-class.ts';
import type { BeginCreateInput } from '../../../steps/answers.ts';
import type { ClaimRead, StoredClaim } from '../../../steps/claim-access.ts';
import type { ClaimContext } from '../../../steps/lookup.ts';
import type { LifecycleServices } from '../../../steps/services.ts';

export interface Asked {
  services: LifecycleServices;
  input: BeginCreateInput;
  context: ActivityContext;
}

export interface Placed extends Asked {
  place: ClaimContext;
}

export interface Claimed extends Placed {
  read: Extract<ClaimRead, { found: 'claim' }>;
  served: Serving;
}

/** `at`: where the provider makes its machines now, for the record; empty where that can't change. */
export interface Located extends Claimed {
  at: { place?: string };
}

export interface Classed extends Located {
  nodeClass: NodeClass;
}

/** `looked`: rule 4 was asked for, so what it saw binds the right to the claim that was read with it. */
export interface Looked extends Classed {
  looked: boolean;
}

/** The right that was taken. T runs from `started`. */
export interface Right {
  record: AttemptRecord;
  labels: Record<string, string>;
  started: { monotonic: number; wall: number };
  /** The claim as the patch left it. */
  claim: StoredClaim | undefined;
}

export interface Granted extends Looked {
  right: Right;
}

export interface Called extends Granted {
  answer: Result<CreateProgress>;
  tookMs: number;
}
