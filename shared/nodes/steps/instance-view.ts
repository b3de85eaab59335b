/** An instance as the rules see it. */

import type { Instance } from '../../providers/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import type { ClaimView, InstanceView } from '../claims/attempt/attempt.ts';
import type { ClusterServices } from './services.ts';

/**
 * The rules compare providerIDs as texts. Where an instance is held against a claim, pass both: then it goes by the
 * providerID that the claim knows it by.
 */
export function viewInstance(instance: Instance, cluster?: ClusterServices, claim?: ClaimView): InstanceView {
  const { providerID, owner, state } = instance;
  const known = claim?.providerID;
  const same = cluster !== undefined && known !== undefined && isSameMachine(cluster, known, providerID);
  return {
    providerID: same ? known : providerID,
    claimUid: owner.claimUid,
    attempt: owner.attempt,
    deleting: state === 'deleting',
  };
}
