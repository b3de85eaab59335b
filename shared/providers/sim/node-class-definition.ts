/** SimNodeClass as a kind of the cluster: its CRD is generated from the same schema that the provider checks it with. */
import type { KindDefinition } from '../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../nodes/api/node-class.ts';
import { simNodeClasses } from './kinds.ts';
import { simNodeClassSchema } from './node-class.ts';

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...simNodeClasses[0],
    shortNames: ['simnc'],
    description: 'Settings for nodes of the simulated cloud.',
    spec: simNodeClassSchema,
    columns: [
      { name: 'Image', type: 'string', jsonPath: '.spec.image', description: 'Image that the nodes run.' },
      {
        name: 'Boot',
        type: 'number',
        jsonPath: '.spec.bootSeconds',
        description: 'Seconds that a node takes to boot.',
      },
    ],
  }),
];
