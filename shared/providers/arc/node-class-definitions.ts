/** ArcNodeClass as a kind of the cluster: its CRD is generated from the same schema that the provider checks it with. */
import type { KindDefinition } from '../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../nodes/api/node-class.ts';
import { arcNodeClassSchema } from '../agent-pools/node-classes/arc.ts';
import { arcNodeClass } from '../agent-pools/node-classes/kinds.ts';

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...arcNodeClass,
    shortNames: ['arcnc'],
    description: 'Settings for nodes of clusters that are connected by Azure Arc.',
    spec: arcNodeClassSchema,
    columns: [
      { name: 'MaxPods', type: 'integer', jsonPath: '.spec.maxPods', description: 'Maximum number of pods on a node.' },
    ],
  }),
];
