/** What an account has in its region before anybody of us comes: zones, networks, images, roles, a cluster. */

import { type Image, makeImages } from './images.ts';
import { defaultCluster } from './node-class.ts';
import { defaultTypes, type Ec2Type } from './types.ts';

export interface Zone {
  name: string;
  id: string;
  index: number;
}

export interface Subnet {
  id: string;
  zone: Zone;
  cidr: string;
  tags: Record<string, string>;
  publicIp: boolean;
  /** Addresses that can be had in all. */
  size: number;
  /** In use, by whomever. */
  used: number;
}

export interface SecurityGroup {
  id: string;
  name: string;
  tags: Record<string, string>;
}

export interface InstanceProfile {
  name: string;
  id: string;
  arn: string;
  role: string | undefined;
  tags: Record<string, string>;
  createdAt: number;
}

export interface CapacityReservation {
  id: string;
  instanceType: string;
  zone: string;
  total: number;
  used: number;
  matching: 'open' | 'targeted';
  tags: Record<string, string>;
  state: 'active' | 'expired' | 'cancelled';
}

export interface EksCluster {
  name: string;
  version: string;
  endpoint: string;
  certificateAuthority: string;
  serviceCidr: string;
  securityGroup: string;
}

export interface Account {
  id: string;
  region: string;
  vpc: string;
  zones: readonly Zone[];
  types: readonly Ec2Type[];
  subnets: Map<string, Subnet>;
  securityGroups: Map<string, SecurityGroup>;
  images: Map<string, Image>;
  parameters: Map<string, string>;
  roles: Set<string>;
  profiles: Map<string, InstanceProfile>;
  reservations: Map<string, CapacityReservation>;
  clusters: Map<string, EksCluster>;
}

export interface AccountOptions {
  account?: string;
  region?: string;
  types?: readonly Ec2Type[];
  /** Name of the EKS cluster that is there; its networks carry the tags that Karpenter's guide puts on them. */
  clusterName?: string;
  kubernetesVersion?: string;
  clusterEndpoint?: string;
  reservations?: readonly (Pick<CapacityReservation, 'id' | 'instanceType' | 'zone' | 'total'> &
    Partial<CapacityReservation>)[];
}

export const regions = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'eu-central-1',
  'eu-west-1',
  'eu-north-1',
  'ap-south-1',
  'ap-southeast-1',
] as const;

/** Nobody checks it: the machines of the stand-in join without. */
const certificate = '-----BEGIN CERTIFICATE-----\nc3RhbmQtaW4=\n-----END CERTIFICATE-----\n';

const directions: Record<string, string> = { north: 'n', south: 's', east: 'e', west: 'w', central: 'c' };

/** `eu-west-1` is `euw1` in the ids of its zones. */
function zoneIdOf(region: string, index: number): string {
  const [area = '', direction = '', number = ''] = region.split('-');
  const short = direction.replace(/north|south|east|west|central/g, (word) => directions[word] ?? word);
  return `${area}${short}${number}-az${index + 1}`;
}

export const zonesOf = (region: string): Zone[] =>
  ['a', 'b', 'c'].map((letter, index) => ({ name: `${region}${letter}`, id: zoneIdOf(region, index), index }));

export const profileArn = (account: string, name: string): string => `arn:aws:iam::${account}:instance-profile/${name}`;

export function makeAccount(options: AccountOptions = {}): Account {
  const {
    account: id = '123456789012',
    region = 'us-east-1',
    types = defaultTypes,
    clusterName = defaultCluster,
  } = options;
  const zones = zonesOf(region);
  const discovery = { 'karpenter.sh/discovery': clusterName };
  const subnets: Subnet[] = zones.flatMap((zone) => [
    {
      id: `subnet-0private${zone.index}`,
      zone,
      cidr: `10.0.${zone.index * 64}.0/18`,
      tags: { ...discovery, Name: `private-${zone.name}`, 'kubernetes.io/role/internal-elb': '1' },
      publicIp: false,
      size: 2 ** 14 - 5,
      used: 0,
    },
    {
      id: `subnet-0public${zone.index}`,
      zone,
      cidr: `10.0.${192 + zone.index}.0/24`,
      tags: { Name: `public-${zone.name}`, 'kubernetes.io/role/elb': '1' },
      publicIp: true,
      size: 2 ** 8 - 5,
      used: 0,
    },
  ]);
  const securityGroups: SecurityGroup[] = [
    { id: 'sg-0nodes', name: `${clusterName}-nodes`, tags: { ...discovery, Name: 'nodes' } },
    {
      id: 'sg-0cluster',
      name: `eks-cluster-sg-${clusterName}`,
      tags: { [`kubernetes.io/cluster/${clusterName}`]: 'owned' },
    },
    { id: 'sg-0default', name: 'default', tags: {} },
  ];
  const role = `KarpenterNodeRole-${clusterName}`;
  const profile: InstanceProfile = {
    name: `nodes-${clusterName}`,
    id: 'AIPAEXAMPLENODES',
    arn: profileArn(id, `nodes-${clusterName}`),
    role,
    tags: {},
    createdAt: Date.UTC(2026, 0, 1),
  };
  const cluster: EksCluster = {
    name: clusterName,
    version: options.kubernetesVersion ?? '1.34',
    endpoint: options.clusterEndpoint ?? `https://EXAMPLE.gr7.${region}.eks.amazonaws.com`,
    certificateAuthority: Buffer.from(certificate).toString('base64'),
    serviceCidr: '172.20.0.0/16',
    securityGroup: 'sg-0cluster',
  };
  const { images, parameters } = makeImages(id);
  const reservations = (options.reservations ?? []).map((given) => ({
    used: 0,
    matching: 'targeted' as const,
    tags: {},
    state: 'active' as const,
    ...given,
  }));
  return {
    id,
    region,
    vpc: 'vpc-0demo',
    zones,
    types,
    subnets: byId(subnets),
    securityGroups: byId(securityGroups),
    images,
    parameters,
    roles: new Set([role]),
    profiles: new Map([[profile.name, profile]]),
    reservations: byId(reservations),
    clusters: new Map([[clusterName, cluster]]),
  };
}

const byId = <T extends { id: string }>(all: readonly T[]): Map<string, T> => new Map(all.map((one) => [one.id, one]));
