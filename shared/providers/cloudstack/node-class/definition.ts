/** CloudStackNodeClass as a kind of the cluster, for clusters that have no definition of it yet. */
import { z } from 'zod';
import type { KindDefinition } from '../../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../../nodes/api/node-class.ts';
import { extended, text } from '../../../nodes/api/parts.ts';
import { cloudStackNodeClass } from './kind.ts';
import { cloudStackNodeClassSchema } from './schema.ts';

const listOf = <T extends z.ZodType>(item: T, description: string) =>
  extended(z.array(item), { description, 'x-kubernetes-list-type': 'atomic' }).optional();

const number = (description: string) => z.int().describe(description);

/** The fields of upstream's status come first, under its names: whoever reads that finds the same here. */
const resolved = {
  networks: listOf(
    z.object({
      id: text('Id of the network.'),
      name: text('Name of the network.'),
      zone: text('Zone in which the network is available.'),
      type: text('Type of the network, such as Isolated, Shared or L2.').optional(),
    }),
    'Networks of the instances, in the order of their network interfaces.',
  ),
  serviceOfferings: listOf(
    z.object({
      id: text('Id of the service offering.'),
      name: text('Name of the service offering.'),
      cpuNumber: number('Number of CPUs; 0 where a size has to be given.'),
      memory: number('Memory in MiB; 0 where a size has to be given.'),
      cpuSpeed: number('Speed of a CPU in MHz.').optional(),
      networkRate: number('Network rate in Mbit/s.').optional(),
      instanceTypes: extended(z.array(z.string()), {
        description:
          'Instance types that the offering becomes, as the label node.kubernetes.io/instance-type has them.',
        'x-kubernetes-list-type': 'atomic',
      }).optional(),
      capacityType: text('Capacity type: on-demand or spot.').optional(),
      matchedBy: text('What matched the selector term.').optional(),
    }),
    'Service offerings that the class selects.',
  ),
  templates: listOf(
    z.object({
      id: text('Id of the template.'),
      name: text('Name of the template.'),
      zone: text('Zone in which the template is available.'),
      osType: text('Operating system of the template.').optional(),
      arch: text('Architecture of the template, as nodes name it.').optional(),
      hypervisor: text('Hypervisor that the template is made for.').optional(),
    }),
    'Templates that instances are made from.',
  ),
  zones: listOf(
    z.object({
      id: text('Id of the zone.'),
      name: text('Name of the zone.'),
      networkType: text('Type of its networks: Basic or Advanced.').optional(),
    }),
    'Zones in which instances can be created.',
  ),
} as const;

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...cloudStackNodeClass,
    shortNames: ['csnc', 'csncs'],
    description:
      "Settings for CloudStack nodes. The kind is that of Karpenter's provider for CloudStack: if that definition is installed, it is used.",
    spec: cloudStackNodeClassSchema,
    specRequired: true,
    resolved,
    columns: [{ name: 'Zone', type: 'string', jsonPath: '.spec.zone', description: 'Zone of the nodes.', wide: true }],
  }),
];
