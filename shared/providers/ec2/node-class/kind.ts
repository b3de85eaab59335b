/** The kind of node class for EC2; apart from its schema, so that it is known before that is loaded. */
import type { NodeClassKind } from '../../contract.ts';

/** Karpenter's provider for AWS has the same kind. */
export const ec2NodeClass = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
} as const satisfies NodeClassKind;
