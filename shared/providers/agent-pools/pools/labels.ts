/** The labels of a pool's node. Those of gpu-provisioner come first, because KAITO and people's scripts look for them. */
import { labelDomain } from '../../../base/kubernetes/label-syntax.ts';
import { labels, tags, wellKnownLabels } from '../../../nodes/claims/spec/well-known.ts';
import type { ClaimFacts, InstanceTags } from '../../contract.ts';

export const kaitoLabels = {
  workspace: 'kaito.sh/workspace',
  ragEngine: 'kaito.sh/ragengine',
  machineType: 'kaito.sh/machine-type',
  creationTimestamp: 'kaito.sh/creation-timestamp',
  /** Of the NodePools that KAITO makes in its karpenter mode, and of their claims. */
  karpenterWorkspace: 'karpenter.kaito.sh/workspace-name',
} as const;

/** AKS puts both on spot pools itself, and takes nothing of this domain from anybody else. */
export const spotMark = { key: 'kubernetes.azure.com/scalesetpriority', value: 'spot', effect: 'NoSchedule' } as const;

const defaultNodePool = 'kaito';

/** What a claim is told about its machine once there is one; it must not differ between a create and its repetition. */
const nodeClassLabels: ReadonlySet<string> = new Set([
  'karpenter.azure.com/aksnodeclass',
  'kaito.sh/kaitonodeclass',
  'poolwright.dev/arcnodeclass',
]);
/** Not a kubelet's to put on its own Node, or Azure's own: they come when the Node is registered. */
const closedDomains = ['kubernetes.io', 'k8s.io', 'kubernetes.azure.com'];
const openDomains = ['node.kubernetes.io'];

export function poolLabels(claim: ClaimFacts, owner: InstanceTags, vmSize: string): Record<string, string> {
  const own = Object.entries(claim.labels).filter(([key]) => isForPool(key));
  return {
    [labels.nodePool]: defaultNodePool,
    ...Object.fromEntries(own),
    [kaitoLabels.machineType]: vmSize.includes('Standard_N') ? 'gpu' : 'cpu',
    ...creationLabels(claim.createdAt),
    // A Node that outlives its pool for a moment must not pass for the Node of the next attempt, which has the same name.
    [tags.claimUid]: owner.claimUid,
    [tags.attempt]: String(owner.attempt),
  };
}

function isForPool(key: string): boolean {
  if (key === labels.nodePool) return true;
  if (wellKnownLabels.has(key) || nodeClassLabels.has(key)) return false;
  const domain = labelDomain(key);
  if (openDomains.some((open) => isWithin(domain, open))) return true;
  return !closedDomains.some((closed) => isWithin(domain, closed));
}

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

const creationLabels = (createdAt: number): Record<string, string> => {
  const label = creationLabel(createdAt);
  return label === undefined ? {} : { [kaitoLabels.creationTimestamp]: label };
};

/** `2026-11-16T10-30-00Z`: a time that is legal as the value of a label. Undefined for what is no time of ours. */
export function creationLabel(milliseconds: number | undefined): string | undefined {
  const time = new Date(milliseconds ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return undefined;
  const label = time
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  // Years of more or less than four digits have a sign in front.
  return /^\d/.test(label) ? label : undefined;
}

/** Undefined for what is no such time. */
export function creationTime(label: string | undefined): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/.exec(label ?? '');
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}:${match[2]}:${match[3]}`);
  return Number.isNaN(time) ? undefined : time;
}

/** What a launched claim learns from its pool, as from gpu-provisioner. */
export function reportedLabels(all: Readonly<Record<string, string>>): Record<string, string> {
  const keys = [labels.nodePool, kaitoLabels.machineType, kaitoLabels.creationTimestamp];
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.some((one) => one === key)));
}
