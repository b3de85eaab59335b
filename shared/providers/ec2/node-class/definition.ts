/** EC2NodeClass as a kind of the cluster, for clusters that have no definition of it yet. */
import { z } from 'zod';
import type { KindDefinition } from '../../../kube/crds/definition.ts';
import { nodeClassDefinition } from '../../../nodes/api/node-class.ts';
import { extended, text, time } from '../../../nodes/api/parts.ts';
import { ec2NodeClass } from './kind.ts';
import { ec2NodeClassSchema } from './schema.ts';

const listOf = <T extends z.ZodType>(item: T, description: string) =>
  extended(z.array(item), { description, 'x-kubernetes-list-type': 'atomic' }).optional();

const requirement = z.object({
  key: text('Label that the requirement is about.'),
  operator: text("How the label's value is compared."),
  values: extended(z.array(z.string()), {
    description: 'Values to compare with.',
    'x-kubernetes-list-type': 'atomic',
  }).optional(),
});

/** The fields of Karpenter's own status: whoever reads that finds the same here. */
const resolved = {
  amis: listOf(
    z.object({
      id: text('Id of the image.'),
      name: text('Name of the image.').optional(),
      deprecated: z.boolean().describe('Whether its owner has deprecated it.').optional(),
      requirements: extended(z.array(requirement), {
        description: 'Requirements of the instances that get it.',
        'x-kubernetes-list-type': 'atomic',
      }),
    }),
    'Images, the newest first.',
  ),
  subnets: listOf(
    z.object({
      id: text('Id of the subnet.'),
      zone: text('Zone that it is in.'),
      zoneID: text('Id of that zone, which is the same in every account.').optional(),
    }),
    'Subnets, sorted by free addresses, most first.',
  ),
  securityGroups: listOf(
    z.object({ id: text('Id of the group.'), name: text('Name of the group.').optional() }),
    'Security groups.',
  ),
  capacityReservations: listOf(
    z.object({
      id: text('Id of the reservation.'),
      instanceType: text('Instance type that is reserved.'),
      availabilityZone: text('Zone that it is in.'),
      instanceMatchCriteria: text('Whether any matching instance uses it: open or targeted.'),
      ownerID: text('Account that owns it.'),
      reservationType: text('Type of reservation; capacity blocks are not used.').optional(),
      endTime: time('When it ends; absent if it does not end.').optional(),
    }),
    'Capacity reservations.',
  ),
  instanceProfile: text('Instance profile of the nodes.').optional(),
} as const;

export const definitions: readonly KindDefinition[] = [
  nodeClassDefinition({
    ...ec2NodeClass,
    shortNames: ['ec2nc', 'ec2ncs'],
    description:
      "Settings for EC2 nodes. The kind is Karpenter's: if Karpenter's own definition is installed, that one is used.",
    spec: ec2NodeClassSchema,
    specRequired: true,
    resolved,
    columns: [{ name: 'Role', type: 'string', jsonPath: '.spec.role', description: 'Role of the nodes.', wide: true }],
  }),
];
