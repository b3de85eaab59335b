/** Which claims are for agent pools. Claims of Karpenter's own provider for Azure name the same kind of class, and are not ours. */
import { annotations } from '../../../nodes/claims/spec/well-known.ts';
import type { ServedClaim } from '../../contract.ts';
import { kaitoLabels } from './labels.ts';

const kindThatIsShared = 'AKSNodeClass';

/** Claims of KAITO, as gpu-provisioner knows them. */
export const isOfKaito = ({ nodeClassRef, labels }: ServedClaim): boolean =>
  nodeClassRef.kind === 'KaitoNodeClass' ||
  labels[kaitoLabels.workspace] !== undefined ||
  labels[kaitoLabels.ragEngine] !== undefined;

/** @param unlabelled Every AKSNodeClass is ours: there is no Karpenter for Azure in this cluster. */
export function servesPools(claim: ServedClaim, unlabelled: boolean): boolean {
  if (claim.nodeClassRef.kind !== kindThatIsShared || unlabelled) return true;
  if (isOfKaito(claim)) return true;
  const asked = claim.annotations[annotations.provider];
  return asked === 'aks' || asked === 'arc';
}
