/** Names that Kubernetes, Karpenter and we put on objects. Nobody spells one of them out anywhere else. */

export const labels = {
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  hostname: 'kubernetes.io/hostname',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  instanceType: 'node.kubernetes.io/instance-type',
  windowsBuild: 'node.kubernetes.io/windows-build',
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
  capacityType: 'karpenter.sh/capacity-type',
  nodePool: 'karpenter.sh/nodepool',
  registered: 'karpenter.sh/registered',
  initialized: 'karpenter.sh/initialized',
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
} as const;

export const annotations = {
  /** The attempt record: the truth about money. */
  attempt: 'poolwright.dev/attempt',
  /** Deadlines of one claim, as durations; they win over the node class and the provider. */
  launchDeadline: 'poolwright.dev/launch-deadline',
  registrationDeadline: 'poolwright.dev/registration-deadline',
  initializationDeadline: 'poolwright.dev/initialization-deadline',
  /** What the claim's machine costs per hour, as a decimal number in US dollars; absent if unknown. */
  pricePerHour: 'poolwright.dev/price-per-hour',
  /** On a claim: which provider makes its machine, by configured name or type, where several could. */
  provider: 'poolwright.dev/provider',
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
  /** On a claim of a pool: what its node class made machines from when the claim was made. */
  nodeClassHash: 'poolwright.dev/nodeclass-hash',
  /** On a claim of a pool: the name of the claim that it was made to replace. */
  replaces: 'poolwright.dev/replaces',
  /** On a NodePool, `true`: its claims are neither made nor removed. */
  paused: 'poolwright.dev/paused',
  /** On a NodePool or a claim, `replace`: a spot machine that is likely to be taken back is replaced before it is. */
  rebalance: 'poolwright.dev/rebalance',
} as const;

/** Tags on instances. A provider whose tag names are narrower than this translates them, both ways. */
export const tags = {
  deployment: 'poolwright.dev/deployment',
  cluster: 'poolwright.dev/cluster',
  claim: 'poolwright.dev/claim',
  claimUid: 'poolwright.dev/claim-uid',
  attempt: 'poolwright.dev/attempt',
} as const;

/** Held by us on claim and node until nothing of the claim is left at the provider. */
export const terminationFinalizer = 'karpenter.sh/termination';

export const taintKeys = {
  unregistered: 'karpenter.sh/unregistered',
  disrupted: 'karpenter.sh/disrupted',
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  /** Put on by an administrator who knows that the machine is off. */
  outOfService: 'node.kubernetes.io/out-of-service',
  cloudUninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  readinessPrefix: 'readiness.k8s.io/',
} as const;

/** Reasons of `InstanceChanged`: it is replaced as drifted, or it ends. */
export const changedByHand = 'ChangedByHand';
export const instanceEnding = 'InstanceEnding';

export const conditionTypes = {
  launched: 'Launched',
  registered: 'Registered',
  initialized: 'Initialized',
  ready: 'Ready',
  drained: 'Drained',
  volumesDetached: 'VolumesDetached',
  instanceTerminating: 'InstanceTerminating',
  drifted: 'Drifted',
  /** True while the cloud shows that somebody stopped, broke or changed the machine; else absent. */
  instanceChanged: 'InstanceChanged',
} as const;

export const capacityTypes = ['reserved', 'spot', 'on-demand'] as const;
export type CapacityType = (typeof capacityTypes)[number];

/** Labels whose values come from the provider or from us, never from a claim's own wishes. */
export const wellKnownLabels: ReadonlySet<string> = new Set([
  labels.arch,
  labels.os,
  labels.hostname,
  labels.zone,
  labels.region,
  labels.instanceType,
  labels.windowsBuild,
  labels.capacityType,
  labels.nodePool,
]);

/** Older spellings of the same labels. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', labels.arch],
  ['beta.kubernetes.io/os', labels.os],
  ['beta.kubernetes.io/instance-type', labels.instanceType],
  ['failure-domain.beta.kubernetes.io/zone', labels.zone],
  ['failure-domain.beta.kubernetes.io/region', labels.region],
]);

/** The name in use today for a label key that may be spelled the old way. */
export const normalizeLabelKey = (key: string): string => aliases.get(key) ?? key;
