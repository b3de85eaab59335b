/** The kinds of node classes for agent pools; apart from their schemas, so that they are known before those are loaded. */
import type { NodeClassKind } from '../../contract.ts';

/** Karpenter's provider for Azure has the same kind. Claims of KAITO name one that need not exist. */
export const aksNodeClass: NodeClassKind = {
  group: 'karpenter.azure.com',
  version: 'v1beta1',
  kind: 'AKSNodeClass',
  plural: 'aksnodeclasses',
  optional: true,
};

/** gpu-provisioner's own: it has nothing to say, and no cluster ever had a definition of it. */
export const kaitoNodeClass: NodeClassKind = {
  group: 'kaito.sh',
  version: 'v1alpha1',
  kind: 'KaitoNodeClass',
  plural: 'kaitonodeclasses',
  optional: true,
};

export const arcNodeClass: NodeClassKind = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  kind: 'ArcNodeClass',
  plural: 'arcnodeclasses',
};
