/**
 * Which API versions of Azure Service Operator there are, which of its releases serve them, and what each can't say. A table, so that a
 * preflight can print it and a test can hold it against the definitions of several releases.
 */

export interface ApiVersion {
  readonly version: string;
  /** The oldest release that was seen to serve it; absent where that was not looked up. */
  readonly since?: string;
  /** The first release that no longer serves it. */
  readonly removedIn?: string;
  /** Fields of the newest shape that it lacks and that requests may need, or values of one: `osSKU=Ubuntu2204`. */
  readonly lacks?: readonly string[];
}

export interface AsoKind {
  readonly group: string;
  readonly plural: string;
  /** The one to use comes first. */
  readonly versions: readonly ApiVersion[];
}

const managedCluster: readonly ApiVersion[] = [
  { version: 'v1api20250801', since: '2.16' },
  { version: 'v20251002preview', since: '2.20' },
  {
    version: 'v1api20240402preview',
    since: '2.8',
    removedIn: '2.19',
    lacks: ['nodeProvisioningProfile.defaultNodePools'],
  },
  {
    version: 'v1api20240901',
    since: '2.16',
    lacks: ['nodeProvisioningProfile', 'networkProfile.outboundType=none'],
  },
];

const agentPool: readonly ApiVersion[] = managedCluster.map(({ lacks, ...rest }) =>
  lacks === undefined ? rest : { ...rest, lacks: ['osSKU=Ubuntu2204'] },
);

export const asoKinds = {
  ResourceGroup: {
    group: 'resources.azure.com',
    plural: 'resourcegroups',
    versions: [{ version: 'v1api20200601' }],
  },
  UserAssignedIdentity: {
    group: 'managedidentity.azure.com',
    plural: 'userassignedidentities',
    versions: [{ version: 'v1api20230131' }, { version: 'v1api20181130' }],
  },
  FederatedIdentityCredential: {
    group: 'managedidentity.azure.com',
    plural: 'federatedidentitycredentials',
    versions: [{ version: 'v1api20230131' }, { version: 'v1api20220131preview' }],
  },
  RoleAssignment: {
    group: 'authorization.azure.com',
    plural: 'roleassignments',
    versions: [{ version: 'v1api20220401' }, { version: 'v1api20200801preview' }],
  },
  ManagedCluster: { group: 'containerservice.azure.com', plural: 'managedclusters', versions: managedCluster },
  ManagedClustersAgentPool: {
    group: 'containerservice.azure.com',
    plural: 'managedclustersagentpools',
    versions: agentPool,
  },
  Extension: {
    group: 'kubernetesconfiguration.azure.com',
    plural: 'extensions',
    versions: [{ version: 'v1api20241101' }, { version: 'v1api20230501' }],
  },
  FluxConfiguration: {
    group: 'kubernetesconfiguration.azure.com',
    plural: 'fluxconfigurations',
    versions: [{ version: 'v1api20241101' }, { version: 'v1api20230501', lacks: ['gitRepository.provider'] }],
  },
} as const satisfies Record<string, AsoKind>;
export type AsoKindName = keyof typeof asoKinds;

/** What a management cluster serves, by kind. A kind that is absent was not looked at, and its first version is taken. */
export type Served = Partial<Readonly<Record<AsoKindName, readonly string[]>>>;

export interface ChosenVersion {
  apiVersion: string;
  /** Fields that this version can't say. */
  lacking: readonly string[];
}

/** @param paths Fields that will be written, like `nodeProvisioningProfile.mode`. */
export function chooseVersion(
  kind: AsoKindName,
  served: Served,
  { paths = [], wanted }: { paths?: readonly string[]; wanted?: string | undefined } = {},
): ChosenVersion | undefined {
  const { group, versions }: AsoKind = asoKinds[kind];
  const there = served[kind];
  const offered = there === undefined ? versions : versions.filter((one) => there.includes(one.version));
  const candidates = wanted === undefined ? offered : offered.filter((one) => one.version === wanted);
  const judged = candidates.map(({ version, lacks = [] }) => ({
    apiVersion: `${group}/${version}`,
    lacking: lacks.filter((field) => paths.some((path) => path === field || path.startsWith(`${field}.`))),
  }));
  // The one that can say everything; else the one that can say most.
  return (
    judged.find(({ lacking }) => lacking.length === 0) ?? judged.sort((a, b) => depth(b.lacking) - depth(a.lacking))[0]
  );
}

/** The longer the path that is missing, the less is missing. */
const depth = (fields: readonly string[]): number => Math.min(...fields.map((field) => field.split('.').length));
