/**
 * What is under test. `rules` are the very functions of shared/nodes/claims/attempt/attempt.ts; `program` is what the lifecycle has to
 * do around them. Both are handed to the model as values, so that a test can break one and see the model notice.
 */
import * as attempt from '../../shared/nodes/claims/attempt/attempt.ts';

export const realRules = {
  resumeLaunch: attempt.resumeLaunch,
  takeWriteRight: attempt.takeWriteRight,
  lookBeforeWrite: attempt.lookBeforeWrite,
  adoptInstance: attempt.adoptInstance,
  takeOver: attempt.takeOver,
  rebuildRecord: attempt.rebuildRecord,
  mayRecord: attempt.mayRecord,
  mayRegister: attempt.mayRegister,
  closeAttempt: attempt.closeAttempt,
  mayClear: attempt.mayClear,
  mayDiscard: attempt.mayDiscard,
  ofAttempt: attempt.ofAttempt,
  mayDiscardAll: attempt.mayDiscardAll,
  ofClaim: attempt.ofClaim,
  failAttempt: attempt.failAttempt,
  loseInstance: attempt.loseInstance,
  terminateSettles: attempt.terminateSettles,
  mayDropFinalizer: attempt.mayDropFinalizer,
  isOrphan: attempt.isOrphan,
  wantedWorkflow: attempt.wantedWorkflow,
  settleSeconds: attempt.settleSeconds,
};

export type Rules = typeof realRules;

export interface Program {
  /** Begin-create takes its right by a patch; without this it writes on the strength of what the launch read before. */
  takesRightByPatch: boolean;
  /** After "sold out" to the only right there is no wait, but still a look. */
  looksAfterSoldOut: boolean;
  /** After a deletion the discard looks again, until it finds nothing. */
  looksAgain: boolean;
  /** Where names are shared, a delete names the attempt that it means. */
  deletesByTag: boolean;
  /** Terminate deletes the recorded instance by its id, also when the list does not show it. */
  deletesById: boolean;
  /** Where one name serves all attempts, another attempt's instance is a conflict. */
  otherAttemptConflicts: boolean;
  terminateWaitsForLaunches: boolean;
  /** The second reading of garbage collection is in the step that deletes. */
  collectorReadsWithDelete: boolean;
  /** Resync starts the next epoch also when the last one ended normally. */
  startsAfterEnd: boolean;
  /** T runs from the patch that took the right. Otherwise: from the opening of the attempt, and a later right outlives the wait. */
  limitRunsFromRight: boolean;
  /** The name of a closer is new with every closing; otherwise it names the launch. */
  namesEachClosing: boolean;
}

export const realProgram: Program = {
  takesRightByPatch: true,
  looksAfterSoldOut: true,
  looksAgain: true,
  deletesByTag: true,
  deletesById: true,
  otherAttemptConflicts: true,
  terminateWaitsForLaunches: true,
  collectorReadsWithDelete: true,
  startsAfterEnd: true,
  limitRunsFromRight: true,
  namesEachClosing: true,
};
