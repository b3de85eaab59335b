/** The kind of node class for CloudStack; apart from its schema, so that it is known before that is loaded. */
import type { NodeClassKind } from '../../contract.ts';

/** Karpenter's provider for CloudStack has the same kind. */
export const cloudStackNodeClass = {
  group: 'karpenter.k8s.cloudstack',
  version: 'v1',
  kind: 'CloudStackNodeClass',
  plural: 'cloudstacknodeclasses',
} as const satisfies NodeClassKind;
