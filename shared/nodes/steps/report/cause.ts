/** What made somebody look at a claim, so that `explain` can say how its life, or its end, began. */
import type { ClaimRef } from '../services.ts';

export type Cause = {
  /** The id of the CloudEvent; absent where a timer found the claim. */
  event?: string;
  /** The type of the CloudEvent. */
  type?: string;
  /** Who noticed: `bridge`, `webhook` or `resync`. */
  observedBy: string;
  /** When that was, in milliseconds. */
  at: number;
};

/** What a workflow is started with. Ones from before the cause was kept have none, and so has a history that was lost. */
export type Started = ClaimRef & { cause?: Cause };

/** Steps are told of the claim alone: the cause would be written down with each of them. */
export const withoutCause = ({ cause: _, ...ref }: Started): ClaimRef => ref;

/** For the first decision of a life: it is written anyway. */
export const beganBy = (cause: Cause | undefined): { began?: Cause } => (cause === undefined ? {} : { began: cause });
