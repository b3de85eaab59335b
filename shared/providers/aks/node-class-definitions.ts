/** AKSNodeClass and KaitoNodeClass as kinds of the cluster, for clusters that have no definition of them yet. */
import { z } from 'zod';
import type { KindDefinition } from '../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../nodes/api/node-class.ts';
import { aksNodeClassSchema } from '../agent-pools/node-classes/aks.ts';
import { aksNodeClass, kaitoNodeClass } from '../agent-pools/node-classes/kinds.ts';

const { optional: _aks, ...aks } = aksNodeClass;
const { optional: _kaito, ...kaito } = kaitoNodeClass;

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...aks,
    // Karpenter serves both, with the same fields, so manifests with the older version are still around.
    alsoServed: ['v1alpha2'],
    shortNames: ['aksnc', 'aksncs'],
    description:
      "Settings for AKS nodes. The kind is Karpenter's: if Karpenter's own definition is installed, that one is used.",
    spec: aksNodeClassSchema,
    columns: [
      {
        name: 'ImageFamily',
        type: 'string',
        jsonPath: '.spec.imageFamily',
        description: 'Linux distribution of the nodes.',
      },
      { name: 'Disk', type: 'integer', jsonPath: '.spec.osDiskSizeGB', description: 'Size of the OS disk in GB.' },
    ],
  }),
  nodeClassDefinition({
    ...kaito,
    shortNames: [],
    description:
      'The node class of claims that contain all settings themselves, as with gpu-provisioner. It has no fields, and no object is needed.',
    spec: z.object({}).describe('There are no fields.'),
    columns: [],
  }),
];
