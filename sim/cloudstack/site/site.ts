/** The site as it is when the stand-in starts: three zones, their networks and hosts, templates, people. */
import { defaultCluster } from '../node-class.ts';
import { a40Quarter, defaultDisks, defaultOfferings, t4 } from './offerings.ts';
import type {
  Account,
  Architecture,
  Domain,
  Host,
  KeyPair,
  Network,
  Offering,
  Owner,
  Project,
  Site,
  Template,
  Zone,
} from './types.ts';
import { uuidOf } from './uuid.ts';

export interface SiteOptions {
  /** In the tags of networks, templates and offerings, as Karpenter's guides write them. */
  clusterName?: string;
  zones?: readonly string[];
  offerings?: readonly Offering[];
  /** Hosts of each zone that take anything; those with tags come besides. */
  hostsPerZone?: number;
  /** Commands that the role of the plain user does not have. */
  denied?: readonly string[];
}

export const defaultZones = ['zone-01', 'zone-02', 'zone-03'] as const;

const installed = Date.UTC(2025, 0, 1);

export function makeSite(options: SiteOptions = {}): Site {
  const { clusterName = defaultCluster, zones: names = defaultZones, hostsPerZone = 40, denied = [] } = options;
  const people = makePeople(denied);
  const owner: Owner = { account: people.user.name, domainId: people.user.domainId };
  const zones = names.map(
    (name): Zone => ({
      id: uuidOf('zone', name),
      name,
      networkType: 'Advanced',
      securityGroups: false,
      allocationState: 'Enabled',
      tags: {},
    }),
  );
  const keyPairs: KeyPair[] = ['my-keypair', 'admin-key'].map((name, index) => ({
    id: uuidOf('keypair', name),
    name,
    fingerprint: `f6:96:3f:f4:78:f7:80:11:6c:f8:e3:2b:40:20:f1:0${index}`,
    owner: index === 0 ? owner : { account: people.admin.name, domainId: people.admin.domainId },
  }));
  return {
    domains: byId(people.domains),
    accounts: byId([people.admin, people.user]),
    projects: byId(people.projects),
    zones: byId(zones),
    networks: byId(zones.flatMap((zone, index) => networksOf(zone, index, owner, clusterName))),
    offerings: byId([...(options.offerings ?? defaultOfferings(clusterName))]),
    diskOfferings: byId(defaultDisks()),
    templates: byId(templatesIn(zones, people.admin, clusterName)),
    hosts: byId(zones.flatMap((zone) => hostsOf(zone, hostsPerZone))),
    keyPairs: byId(keyPairs),
    securityGroups: byId(
      ['default', 'nodes'].map((name) => ({
        id: uuidOf('securitygroup', name),
        name,
        description: `of ${name}`,
        owner,
      })),
    ),
  };
}

function makePeople(denied: readonly string[]): {
  admin: Account;
  user: Account;
  domains: Domain[];
  projects: Project[];
} {
  const root: Domain = { id: uuidOf('domain', 'ROOT'), name: 'ROOT', path: 'ROOT', level: 0 };
  const team: Domain = { id: uuidOf('domain', 'team'), name: 'team', path: 'ROOT/team', level: 1, parentId: root.id };
  const account = (name: string, domain: Domain, role: Account['role'], refused: readonly string[]): Account => ({
    id: uuidOf('account', name),
    name,
    domainId: domain.id,
    userId: uuidOf('user', name),
    userName: name,
    role,
    apiKey: `${name}-api-key-of-the-stand-in`,
    secretKey: `${name}-stand-in-for-a-secret`,
    denied: refused,
  });
  return {
    admin: account('admin', root, 'Root Admin', []),
    user: account('kubernetes', team, 'User', denied),
    domains: [root, team],
    projects: [{ id: uuidOf('project', 'nodes'), name: 'nodes', domainId: team.id, accounts: ['kubernetes'] }],
  };
}

/** In each zone one that the cluster is in, a second one to go with it, and some that can't be used. */
function networksOf(zone: Zone, index: number, owner: Owner, clusterName: string): Network[] {
  const network = (name: string, octet: number, more: Partial<Network> = {}): Network => ({
    id: uuidOf('network', zone.name, name),
    name,
    zone,
    type: 'Isolated',
    state: 'Implemented',
    cidr: `10.${octet}.0.0/16`,
    canUseForDeploy: true,
    owner,
    tags: {},
    ...more,
  });
  const tags = { 'karpenter.sh/discovery': clusterName, environment: 'production' };
  return [
    network(index === 0 ? 'default-network' : `default-network-${index + 1}`, 10 + index, { tags }),
    network(`storage-${zone.name}`, 40 + index, { type: 'Shared', state: 'Setup', owner: undefined }),
    network(`closed-${zone.name}`, 70 + index, { canUseForDeploy: false }),
    network(`wire-${zone.name}`, 0, { type: 'L2', cidr: undefined }),
  ];
}

const bytesPerGb = 1024 ** 3;
const dayMs = 86_400_000;

function templatesIn(zones: readonly Zone[], admin: Account, clusterName: string): Template[] {
  const owner = { account: admin.name, domainId: admin.domainId };
  const everywhere = new Map(zones.map(({ id }) => [id, true]));
  const template = (name: string, osTypeName: string, more: Partial<Template> = {}): Template => ({
    id: uuidOf('template', name),
    name,
    osTypeId: uuidOf('ostype', osTypeName),
    osTypeName,
    hypervisor: 'KVM',
    arch: 'x86_64',
    zones: everywhere,
    size: 10 * bytesPerGb,
    featured: true,
    public: true,
    owner,
    tags: {},
    created: installed,
    ...more,
  });
  const nodes = { os: 'ubuntu', version: '22.04', type: 'karpenter', 'karpenter.sh/discovery': clusterName };
  const [first] = zones;
  return [
    template('ubuntu-22.04-kubernetes', 'Ubuntu 22.04 LTS', { tags: nodes }),
    // Older: where an offering does not say for which architecture it is, the newest template is for the usual one.
    template('ubuntu-22.04-kubernetes-arm64', 'Ubuntu 22.04 LTS', {
      arch: 'aarch64',
      created: installed - dayMs,
      tags: { ...nodes, type: 'karpenter-arm64' },
    }),
    template('ubuntu-24.04-kubernetes', 'Ubuntu 24.04 LTS', {
      created: installed + dayMs,
      tags: { ...nodes, version: '24.04' },
    }),
    template('rocky-9', 'Rocky Linux 9', { zones: new Map(first === undefined ? [] : [[first.id, true]]) }),
    template('debian-12-uploading', 'Debian GNU/Linux 12 (64-bit)', {
      zones: new Map(zones.map(({ id }) => [id, false])),
    }),
    template('photon-vmware', 'Other Linux (64-bit)', { hypervisor: 'VMware' }),
  ];
}

/** Plain hosts, and a few for each tag that an offering asks for. */
function hostsOf(zone: Zone, count: number): Host[] {
  const host = (kind: string, index: number, tags: readonly string[], more: Partial<Host> = {}): Host => ({
    id: uuidOf('host', zone.name, kind, index),
    name: `${zone.name}-${kind}-${String(index + 1).padStart(2, '0')}`,
    zone,
    clusterId: uuidOf('cluster', zone.name, more.arch ?? 'x86_64'),
    hypervisor: 'KVM',
    arch: 'x86_64',
    tags,
    cpus: 256,
    memory: 2_097_152,
    gpus: new Map(),
    state: 'Up',
    ...more,
  });
  const some = (kind: string, tags: readonly string[], more: Partial<Host> = {}, many = count): Host[] =>
    Array.from({ length: many }, (_, index) => host(kind, index, tags, more));
  const arm: { arch: Architecture } = { arch: 'aarch64' };
  const few = Math.max(2, Math.round(count / 10));
  return [
    ...some('host', []),
    ...some('spot', ['spot'], {}, few),
    ...some('arm', ['arm64'], arm, few),
    ...some('gpu', ['gpu', 'spot'], { gpus: new Map([[t4.cardId, 8]]) }, few),
    ...some('vgpu', ['vgpu'], { gpus: new Map([[a40Quarter.cardId, 16]]) }, few),
  ];
}

const byId = <T extends { id: string }>(all: readonly T[]): Map<string, T> => new Map(all.map((one) => [one.id, one]));
