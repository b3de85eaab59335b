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
    shortNames: ['aksnc', 'aksncs'],
    description:
      "What is special to nodes of AKS. The kind is Karpenter's: where its own definition is installed, that one is used.",
    spec: aksNodeClassSchema,
    columns: [
      { name: 'ImageFamily', type: 'string', jsonPath: '.spec.imageFamily', description: 'Linux that the nodes run.' },
      { name: 'Disk', type: 'integer', jsonPath: '.spec.osDiskSizeGB', description: 'Size of the OS disk in GB.' },
    ],
  }),
  nodeClassDefinition({
    ...kaito,
    shortNames: [],
    description:
      'The node class of claims that say everything themselves, as gpu-provisioner has it. It has no fields, and no object of it is needed.',
    spec: z.object({}).describe('There is nothing to say.'),
    columns: [],
  }),
];
