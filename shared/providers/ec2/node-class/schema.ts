/**
 * EC2NodeClass, with the fields of Karpenter's provider for AWS. The group is Karpenter's: where its definition is installed,
 * that one is used. What a single field may be is said here; what fields say together is judged in `parse.ts`.
 */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';
import { kubeletField } from './schema-kubelet.ts';
import { connectionTrackingField, cpuOptionsField, networkInterfacesField } from './schema-network.ts';
import { mostTags, tagsField } from './schema-tags.ts';
import { volumeSizePattern } from './volume-size.ts';

export const amiFamilies = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Custom',
  'Windows2019',
  'Windows2022',
  'Windows2025',
] as const;
export type AmiFamily = (typeof amiFamilies)[number];

/** What stands before the @ of an alias, and the family that it means. */
export const aliasFamilies = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
} as const satisfies Record<string, AmiFamily>;

const mostTerms = 30;
const longestAlias = 30;
const aliasPattern = `^(${Object.keys(aliasFamilies).join('|')})@[A-Za-z0-9._-]+$`;

/** Checked by us as by the API server: a class may be older than the definition, or come from another one. */
const matching = (pattern: string, description: string, what: string) =>
  extended(z.string().regex(new RegExp(pattern), `it must be ${what}`), { description, pattern });

const filled = (description: string) => extended(z.string().min(1).max(512), { description });

const selectorTags = extended(z.record(z.string(), z.string()), {
  description: 'Tags that must all match; * matches any value.',
  maxProperties: mostTags,
  'x-kubernetes-validations': [
    { rule: "self.all(k, k != '' && self[k] != '')", message: 'neither keys nor values of tags may be empty' },
  ],
});

const amiTerm = z.strictObject({
  alias: extended(z.string().max(longestAlias).regex(new RegExp(aliasPattern), aliasMessage()), {
    description:
      'An image that AWS builds for EKS, as family@version, such as al2023@latest or bottlerocket@v1.20.4. It must be alone.',
    pattern: aliasPattern,
    'x-kubernetes-validations': [
      {
        rule: "!self.startsWith('windows') || self.endsWith('@latest')",
        message: 'AWS does not publish versions of Windows images; use @latest',
      },
    ],
  }).optional(),
  id: matching('^ami-[0-9a-z]+$', 'Id of an image. It must be alone in its term.', 'an id such as ami-0123').optional(),
  name: filled('Name of an image, which may contain * and ?; not its Name tag.').optional(),
  owner: filled(
    'Owner of the images: an account id, self, amazon or aws-marketplace. Default: self and amazon.',
  ).optional(),
  ssmParameter: filled(
    'Name or ARN of an SSM parameter whose value is the id of an image. It must be alone in its term.',
  ).optional(),
  tags: selectorTags.optional(),
});

const subnetTerm = z.strictObject({
  id: matching(
    '^subnet-[0-9a-z]+$',
    'Id of a subnet. It must be alone in its term.',
    'an id such as subnet-0123',
  ).optional(),
  tags: selectorTags.optional(),
});

const securityGroupTerm = z.strictObject({
  id: matching(
    '^sg-[0-9a-z]+$',
    'Id of a security group. It must be alone in its term.',
    'an id such as sg-0123',
  ).optional(),
  name: filled('Name of a security group; not its Name tag. It must be alone in its term.').optional(),
  tags: selectorTags.optional(),
});

const reservationTerm = z.strictObject({
  id: matching(
    '^cr-[0-9a-z]+$',
    'Id of a capacity reservation. It must be alone in its term.',
    'an id such as cr-0123',
  ).optional(),
  instanceMatchCriteria: z
    .enum(['open', 'targeted'])
    .describe('Only reservations that any matching instance uses, or only those that are targeted explicitly.')
    .optional(),
  ownerID: matching('^[0-9]{12}$', 'Account that owns the reservation.', 'an account id of twelve digits').optional(),
  tags: selectorTags.optional(),
});

const ebs = z.strictObject({
  deleteOnTermination: z
    .boolean()
    .describe('Whether the volume is deleted with its instance. Default: true.')
    .optional(),
  encrypted: z.boolean().describe('Whether the volume is encrypted.').optional(),
  iops: extended(z.int().min(1), { description: 'IOPS of gp3, io1 and io2 volumes.', format: 'int64' }).optional(),
  kmsKeyID: filled('Key that the volume is encrypted with.').optional(),
  snapshotID: matching(
    '^snap-[0-9a-z]+$',
    'Snapshot that the volume starts from.',
    'an id such as snap-0123',
  ).optional(),
  throughput: extended(z.int().min(1), { description: 'MiB per second of a gp3 volume.', format: 'int64' }).optional(),
  volumeInitializationRate: extended(z.int().min(100).max(300), {
    description: 'MiB per second at which a volume is filled from its snapshot.',
    format: 'int32',
  }).optional(),
  volumeSize: matching(
    volumeSizePattern,
    'Size of the volume, such as 100Gi.',
    'a size of 64Ti at most in Gi, G, Ti or T, such as 100Gi',
  ).optional(),
  volumeType: z.enum(['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3']).describe('Type of the volume.').optional(),
});

const blockDevice = z.strictObject({
  deviceName: filled('Name of the device, such as /dev/xvda.').optional(),
  ebs: extended(ebs, {
    description: 'The volume.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.snapshotID) || has(self.volumeSize)',
        message: 'set volumeSize, unless the volume starts from a snapshotID',
      },
      {
        rule: '!has(self.volumeInitializationRate) || has(self.snapshotID)',
        message: 'volumeInitializationRate needs a snapshotID, from which the volume is filled',
      },
    ],
  }).optional(),
  rootVolume: z
    .boolean()
    .describe('Whether the kubelet keeps its files here; that decides how much ephemeral storage a node has.')
    .optional(),
});

const metadataOptions = extended(
  z.strictObject({
    httpEndpoint: extended(z.enum(['enabled', 'disabled']), {
      description: 'Whether an instance can use the metadata service.',
      default: 'enabled',
    }).optional(),
    httpProtocolIPv6: extended(z.enum(['enabled', 'disabled']), {
      description: 'Whether the metadata service is available over IPv6.',
      default: 'disabled',
    }).optional(),
    httpPutResponseHopLimit: extended(z.int().min(1).max(64), {
      description:
        'Maximum number of network hops of a response; 1 keeps pods from using the permissions of their instance.',
      default: 1,
      format: 'int64',
    }).optional(),
    httpTokens: extended(z.enum(['required', 'optional']), {
      description: 'Whether a session token is required (IMDSv2).',
      default: 'required',
    }).optional(),
  }),
  {
    description: 'Instance metadata service of the instances.',
    default: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    },
  },
);

const placementGroup = z.strictObject({
  id: matching('^pg-[0-9a-z]+$', 'Id of the placement group.', 'an id such as pg-0123').optional(),
  name: extended(z.string().min(1).max(255), { description: 'Name of the placement group.' }).optional(),
});

const terms = <T extends z.ZodType>(
  term: T,
  description: string,
  rules: readonly { rule: string; message: string }[],
) =>
  extended(z.array(term).min(1, 'it must have at least one term').max(mostTerms), {
    description,
    'x-kubernetes-validations': rules,
  });

const alone = (field: string, others: readonly string[]) => ({
  rule: `self.all(x, !has(x.${field}) || !(${others.map((other) => `has(x.${other})`).join(' || ')}))`,
  message: `${field} must be alone in its term; move the other fields to another term`,
});
const oneOf = (fields: readonly string[]) => ({
  rule: `self.all(x, ${fields.map((field) => `has(x.${field})`).join(' || ')})`,
  message: `each term needs one of ${fields.join(', ')}`,
});

export const ec2NodeClassSchema = extended(
  z.strictObject({
    amiSelectorTerms: terms(amiTerm, 'Images to choose from: the matches of all terms.', [
      oneOf(['tags', 'id', 'name', 'alias', 'ssmParameter']),
      alone('id', ['alias', 'tags', 'name', 'owner', 'ssmParameter']),
      alone('alias', ['id', 'tags', 'name', 'owner', 'ssmParameter']),
      alone('ssmParameter', ['id', 'alias', 'tags', 'name', 'owner']),
      {
        rule: '!self.exists(x, has(x.alias)) || self.size() == 1',
        message: 'an alias must be the only term; it includes an image for each architecture',
      },
    ]),
    amiFamily: z
      .enum(amiFamilies)
      .describe('Family of the images, which determines the format of user data. Required unless an alias is used.')
      .optional(),
    subnetSelectorTerms: terms(subnetTerm, 'Subnets to choose from: the matches of all terms.', [
      oneOf(['tags', 'id']),
      alone('id', ['tags']),
    ]),
    securityGroupSelectorTerms: terms(securityGroupTerm, 'Security groups; each instance gets all of them.', [
      oneOf(['tags', 'id', 'name']),
      alone('id', ['tags', 'name']),
      alone('name', ['tags', 'id']),
    ]),
    capacityReservationSelectorTerms: extended(z.array(reservationTerm).max(mostTerms), {
      description: 'Capacity reservations that may be used.',
      'x-kubernetes-validations': [
        oneOf(['tags', 'id', 'instanceMatchCriteria']),
        alone('id', ['tags', 'ownerID', 'instanceMatchCriteria']),
      ],
    }).optional(),
    role: extended(z.string().min(1).max(64), {
      description: 'Role of the nodes; Poolwright creates an instance profile for it. Either this or instanceProfile.',
    }).optional(),
    instanceProfile: extended(z.string().min(1).max(128), {
      description: 'Existing instance profile of the nodes. Either this or role.',
    }).optional(),
    userData: z
      .string()
      .describe("User data, merged with the AMI family's bootstrap script. With Custom, it is used alone.")
      .optional(),
    blockDeviceMappings: extended(z.array(blockDevice).max(50), {
      description: 'Volumes of an instance. Default: the usual volume of the AMI family.',
      'x-kubernetes-validations': [
        {
          rule: 'self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1',
          message: 'at most one device can be the rootVolume',
        },
      ],
    }).optional(),
    metadataOptions: metadataOptions.optional(),
    tags: tagsField.optional(),
    detailedMonitoring: z
      .boolean()
      .describe('Whether detailed monitoring (every minute, at extra cost) is on.')
      .optional(),
    associatePublicIPAddress: z
      .boolean()
      .describe('Whether instances get a public address. Default: the setting of the subnet.')
      .optional(),
    ipPrefixCount: extended(z.int().min(0), {
      description: 'Number of IPv4 prefixes that an instance starts with.',
      format: 'int32',
    }).optional(),
    placementGroupSelector: extended(placementGroup, {
      description: 'The placement group of the instances, by name or by id.',
      'x-kubernetes-validations': [
        { rule: 'has(self.id) != has(self.name)', message: 'set either the id or the name of the placement group' },
      ],
    }).optional(),
    tenancy: z
      .enum(['default', 'dedicated'])
      .describe("Whether instances run on dedicated hardware. Karpenter's own definition does not have this field.")
      .optional(),
    instanceStorePolicy: z
      .enum(['RAID0'])
      .describe(
        'Combine local disks into one volume for the files of kubelet and containers. Without it, they are not used.',
      )
      .optional(),
    kubelet: kubeletField.optional(),
    networkInterfaces: networkInterfacesField.optional(),
    connectionTracking: connectionTrackingField.optional(),
    cpuOptions: cpuOptionsField.optional(),
    context: filled('Context of the fleet request; reserved by EC2.').optional(),
  }),
  {
    description: 'How nodes of this class are created.',
    'x-kubernetes-validations': [
      { rule: 'has(self.role) != has(self.instanceProfile)', message: 'set either role or instanceProfile' },
      {
        rule: 'has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))',
        message: 'amiFamily is required unless an alias is used',
      },
      {
        rule: "!has(self.amiFamily) || self.amiFamily == 'Custom' || self.amiSelectorTerms.all(x, !has(x.alias) || x.alias.startsWith(self.amiFamily.lowerAscii() + '@'))",
        message: 'amiFamily must be the family of the alias, or Custom; remove it to use the family of the alias',
      },
    ],
  },
);

export type Ec2NodeClassSpec = z.infer<typeof ec2NodeClassSchema>;
export type AmiTerm = z.infer<typeof amiTerm>;
export type SubnetTerm = z.infer<typeof subnetTerm>;
export type SecurityGroupTerm = z.infer<typeof securityGroupTerm>;
export type ReservationTerm = z.infer<typeof reservationTerm>;
export type BlockDevice = z.infer<typeof blockDevice>;

function aliasMessage(): string {
  return `it must be family@version, such as al2023@latest; families are ${Object.keys(aliasFamilies).join(', ')}`;
}
