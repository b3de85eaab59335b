/**
 * MachineNodeClass: machines behind provider servers. What a single field may be is said here, as far as one object shows it; what a server can
 * do is in the conditions of the class.
 */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';
import { kubeletField } from '../../kubelet.ts';

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const memoryPattern = /^[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|k|M|G|T)?$/;

const name = (description: string) =>
  extended(z.string().min(1).max(63).regex(namePattern, 'must be lower-case letters, digits and inner hyphens'), {
    description,
    pattern: namePattern.source,
  });
const filled = (description: string, most = 255) => extended(z.string().min(1).max(most), { description });
const whole = (least: number, most: number, description: string, format: 'int32' | 'int64' = 'int32') =>
  extended(z.int().min(least).max(most), { description, format });
/** The lists of others by the name of their entries. */
const byName = (description: string) =>
  ({ description, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }) as const;

const size = z.strictObject({
  name: name('Name of the size; it is the instance type of its nodes.'),
  cpu: whole(1, 1024, 'Number of CPUs.'),
  memory: extended(z.string().regex(memoryPattern, 'must be an amount of memory such as 8Gi'), {
    description: 'Memory, such as 8Gi.',
    pattern: memoryPattern.source,
  }),
  gpu: z
    .strictObject({
      count: whole(1, 64, 'Number of GPUs.'),
      resource: filled('Resource as which nodes show them. Default: nvidia.com/gpu.').optional(),
      type: filled('Model of the GPUs, for the label poolwright.dev/gpu-type.', 63).optional(),
    })
    .describe('GPUs that machines of this size have; extraConfig or the template has to attach them.')
    .optional(),
  price: z
    .number()
    .min(0.0001)
    .max(100_000)
    .describe('What a machine costs per hour, in US dollars. Default: unknown.')
    .optional(),
  arch: z.enum(['amd64', 'arm64']).describe('Architecture. Default: amd64.').optional(),
  firmware: z
    .enum(['BIOS', 'UEFI', 'EFI'])
    .describe('Firmware of the machines. Default: that of the image.')
    .optional(),
  secureBoot: z.boolean().describe('Whether machines boot only signed software.').optional(),
  extraConfig: extended(z.record(z.string(), z.string()), {
    description: 'Settings that the hypervisor knows and this class does not.',
    maxProperties: 100,
  }).optional(),
});

const placement = z.strictObject({
  cluster: filled('Cluster of the hypervisor.').optional(),
  host: filled('Host of the hypervisor.').optional(),
  datastore: filled('Storage of the disks.').optional(),
  storagePod: filled('Group of storages, of which the hypervisor chooses one.').optional(),
  folder: filled('Folder of the machines.').optional(),
  resourcePool: filled('Resource pool of the machines.').optional(),
});

const zone = z.strictObject({
  name: name('Name of the zone, for the label topology.kubernetes.io/zone.'),
  provider: name('Provider server of the zone. Default: provider of the class.').optional(),
  placement: placement
    .describe('Where the machines of this zone are; what it leaves out is as the class says.')
    .optional(),
});

const image = z
  .strictObject({
    templateName: filled('Template or image that the server knows by this name.').optional(),
    path: filled('Path of the image on the hypervisor.', 1024).optional(),
    url: filled('URL of the image; the server must be able to import images.', 2048).optional(),
    format: filled('Format of the image, such as qcow2.', 20).optional(),
    checksum: filled('Checksum of the image.').optional(),
    checksumType: filled('Algorithm of the checksum, such as sha256.', 20).optional(),
  })
  .describe('What machines are made from.');

const network = z.strictObject({
  name: filled('Name of the network.', 80),
  portgroup: filled('Port group of vSphere.').optional(),
  networkName: filled('Network of the hypervisor, where it is not called as name says.').optional(),
  bridge: filled('Bridge of the host.', 63).optional(),
  vlan: whole(1, 4094, 'VLAN.').optional(),
  model: filled('Model of the network card, such as virtio.', 63).optional(),
});

const disk = z.strictObject({
  name: name('Name of the disk; root is the one that machines boot from.'),
  sizeGiB: whole(1, 65_536, 'Size in GiB.'),
  type: filled('Type of the disk, such as thin; the server says which it can make.', 63).optional(),
});

const reservedTags = 'poolwright.dev/';
const sourceRule = 'has(self.templateName) || has(self.path) || has(self.url)';

export const machineNodeClassSchema = extended(
  z.strictObject({
    provider: name('Provider server of the configuration. Required unless each zone names one.').optional(),
    zones: extended(
      z.array(zone).min(1).max(30),
      byName('Failure domains: provider servers, clusters or hosts. Default: one zone with the name of the provider.'),
    ).optional(),
    sizes: extended(z.array(size).min(1).max(100), byName('Sizes of machines; each is an instance type.')),
    image: extended(image, {
      'x-kubernetes-validations': [{ rule: sourceRule, message: 'image has no source: set templateName, path or url' }],
    }),
    networks: extended(
      z.array(network).min(1).max(10),
      byName('Networks of the machines; each is a network card.'),
    ).optional(),
    disks: extended(z.array(disk).max(20), byName('Disks of the machines. Default: those of the image.')).optional(),
    placement: placement.describe('Where machines are.').optional(),
    userData: z
      .string()
      .max(262_144)
      .describe('User data of the machines, usually for cloud-init. It has to make the machine join the cluster.')
      .optional(),
    userDataSettings: z
      .strictObject({
        template: z
          .boolean()
          .describe('Whether variables such as {{ poolwright.node.name }} in userData are replaced. Default: true.')
          .optional(),
      })
      .describe('How userData is prepared.')
      .optional(),
    metaData: z
      .string()
      .max(65_536)
      .describe('Metadata of the machines for cloud-init, with the same variables.')
      .optional(),
    tags: extended(z.record(z.string().min(1).max(128), z.string().max(256)), {
      description: 'Tags of the machines, for servers that know tags.',
      maxProperties: 40,
      'x-kubernetes-validations': [
        {
          rule: `self.all(key, !key.startsWith("${reservedTags}"))`,
          message: `tags that start with ${reservedTags} identify the owner of a machine; choose another name`,
        },
      ],
    }).optional(),
    kubelet: kubeletField.optional(),
  }),
  {
    description: 'How nodes of this class are created.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.provider) || (has(self.zones) && self.zones.all(zone, has(zone.provider)))',
        message: 'name a provider server in provider, or in each zone',
      },
    ],
  },
);

export type MachineNodeClassSpec = z.infer<typeof machineNodeClassSchema>;
export type SizeSpec = z.infer<typeof size>;
export type PlacementSpec = z.infer<typeof placement>;
