/** What an instance has besides its offering, template and networks. */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';
import { filled } from './schema-terms.ts';

const whole = (least: number, most: number, description: string, format: 'int32' | 'int64' = 'int32') =>
  extended(z.int().min(least).max(most), { description, format });

/** A volume is at most as large as CloudStack counts: `custom.diskoffering.size.max` is often far less. */
const mostGigabytes = 65_536;

const size = z.strictObject({
  cpuNumber: whole(1, 1024, 'Number of CPUs.'),
  memory: whole(32, 33_554_432, 'Memory in MiB.'),
  cpuSpeed: whole(1, 100_000, 'Speed of a CPU in MHz, where the offering leaves it open.').optional(),
});
export type CustomSize = z.infer<typeof size>;

export const detailsField = extended(z.array(size).min(1).max(50), {
  description:
    'Sizes in which customised offerings are used; each size within the limits of an offering is an instance type of its own.',
});

export const rootDiskSizeField = whole(1, mostGigabytes, 'Size of the root disk in GB.', 'int64');

const dataVolume = z.strictObject({
  diskOffering: filled('Name or id of the disk offering.'),
  size: whole(1, mostGigabytes, 'Size in GB, where the disk offering leaves it open.', 'int64').optional(),
  minIops: whole(1, 10_000_000, 'Least IOPS, where the disk offering leaves them open.', 'int64').optional(),
  maxIops: whole(1, 10_000_000, 'Most IOPS, where the disk offering leaves them open.', 'int64').optional(),
});

export const dataVolumesField = extended(z.array(dataVolume).max(15), {
  description: 'Data volumes that are made and deleted with an instance, in addition to diskOffering.',
});

/** As CloudStack names the types of its groups. */
export const affinityTypes = [
  'host anti-affinity',
  'host affinity',
  'non-strict host anti-affinity',
  'non-strict host affinity',
] as const;

const affinity = z.strictObject({
  perPool: z
    .enum(affinityTypes)
    .describe(
      'The instances of each NodePool are in an affinity group of this type, which Poolwright makes and deletes. Claims without a pool share a group of the class.',
    )
    .optional(),
  groups: extended(z.array(filled('Name or id of a group.')).max(10), {
    description: 'Existing affinity groups that all instances are in.',
  }).optional(),
});
export const affinityField = affinity.describe('On which hosts instances are placed, relative to each other.');

export const bootField = z
  .strictObject({
    type: z.enum(['BIOS', 'UEFI']).describe('Firmware of the instances.'),
    mode: z.enum(['Legacy', 'Secure']).describe('Legacy, or Secure with UEFI.').optional(),
  })
  .describe('How instances boot. Default: as the template says.');

const staticAddresses = z.strictObject({
  network: filled('Name or id of one of the networks that networkSelectorTerms select.'),
  addresses: extended(
    z.array(filled('An address such as 10.1.0.20, or a range such as 10.1.0.20-10.1.0.59.')).min(1).max(64),
    {
      description: 'IPv4 addresses that instances may have in this network; each instance takes a free one.',
    },
  ),
});

export const staticAddressesField = extended(z.array(staticAddresses).max(30), {
  description: 'Fixed addresses by network. Default: CloudStack chooses the addresses.',
});

export const leaseField = z
  .strictObject({
    days: whole(1, 36_500, 'After so many days CloudStack ends the instance; claims are replaced before.'),
    expiryAction: z.enum(['STOP', 'DESTROY']).describe('What CloudStack does then. Default: DESTROY.').optional(),
  })
  .describe('Lease of the instances; CloudStack 4.21 and later.');

export const userDataSettingsField = z
  .strictObject({
    template: z
      .boolean()
      .describe('Whether variables such as {{ poolwright.node.name }} in userData are replaced. Default: true.')
      .optional(),
    compress: z
      .enum(['Auto', 'Always', 'Never'])
      .describe('Whether user data is compressed with gzip, which cloud-init unpacks. Default: Auto, when it is long.')
      .optional(),
  })
  .describe('How userData is prepared.');
