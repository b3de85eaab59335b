/** Which claims are for agent pools. Claims of Karpenter's own provider for Azure name the same kind of class, and are not ours. */
import { annotations } from '../../../nodes/claims/spec/well-known.ts';
import type { ClaimSelector } from '../../claim-selector.ts';
import { kaitoLabels } from './labels.ts';

const kindThatIsShared = 'AKSNodeClass';
const kindOfKaito = 'KaitoNodeClass';
const labelsOfKaito = [kaitoLabels.workspace, kaitoLabels.ragEngine];

/** Claims of KAITO, as gpu-provisioner knows them: by their class, or by either label. */
const ofKaito: ClaimSelector = [{ kinds: [kindOfKaito] }, ...labelsOfKaito.map((label) => ({ hasLabels: [label] }))];

export const notOfKaito: ClaimSelector = [{ notKinds: [kindOfKaito], lacksLabels: labelsOfKaito }];

/** @param unlabeled Every AKSNodeClass is ours: there is no Karpenter for Azure in this cluster. */
export const poolClaims = (unlabeled: boolean): ClaimSelector =>
  unlabeled
    ? [{}]
    : [
        { notKinds: [kindThatIsShared] },
        ...ofKaito,
        // Where Karpenter for Azure runs, it is another provisioner of this kind, and we only read. Unlike claims of the label above,
        // these expire: their NodePool makes them again.
        { hasLabels: [kaitoLabels.karpenterWorkspace] },
        { annotations: { [annotations.provider]: ['aks', 'arc'] } },
      ];
