/** The kind of node class for machines behind provider servers; apart from its schema, so that it is known before that is loaded. */
import type { NodeClassKind } from '../../contract.ts';

export const machineNodeClass = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  kind: 'MachineNodeClass',
  plural: 'machinenodeclasses',
} as const satisfies NodeClassKind;
