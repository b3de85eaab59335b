/** MachineNodeClass as a kind of the cluster: its CRD is generated from the schema that the provider checks it with. */
import { z } from 'zod';
import type { KindDefinition } from '../../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../../nodes/api/node-class.ts';
import { extended, text } from '../../../nodes/api/parts.ts';
import { machineNodeClass } from './kind.ts';
import { machineNodeClassSchema } from './schema.ts';

const texts = (description: string) =>
  extended(z.array(z.string()), { description, 'x-kubernetes-list-type': 'atomic' }).optional();

const resolved = {
  image: text('Image of new nodes.').optional(),
  instanceTypes: extended(z.int().min(0), {
    description: 'Number of instance types to choose from.',
    format: 'int64',
  }).optional(),
  zones: texts('Zones in which nodes can be created.'),
  providers: texts('Provider servers that make the machines.'),
} as const;

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...machineNodeClass,
    shortNames: ['mnc'],
    description: 'Settings for nodes that are virtual machines behind provider servers.',
    spec: machineNodeClassSchema,
    specRequired: true,
    resolved,
    columns: [
      { name: 'Provider', type: 'string', jsonPath: '.spec.provider', description: 'Provider server of the nodes.' },
      { name: 'Image', type: 'string', jsonPath: '.status.image', description: 'Image of new nodes.', wide: true },
    ],
  }),
];
