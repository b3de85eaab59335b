/**
 * Other provisioners of the same claims. Two that buy for one claim buy twice, so one of them has to stop, and it is us.
 *
 * The same claims: what counts is the kind of node class. Karpenter for one cloud leaves the node classes of another alone,
 * so it and we can live in one cluster; who only happens to be installed is no rival.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import type { KubeObject } from '../kube/contract.ts';
import type { LooselyStored } from '../kube/stored.ts';
import type { LeaseObject } from './lease.ts';

export type ServedKind = { group: string; kind: string };

export type RivalDeployment = LooselyStored<V1Deployment>;

/** By image, because every Karpenter calls itself karpenter. The first that fits counts. */
const provisioners: readonly { image: RegExp; name: string; serves: ServedKind }[] = [
  { image: /gpu-provisioner/, name: 'gpu-provisioner', serves: { group: 'kaito.sh', kind: 'KaitoNodeClass' } },
  {
    image: /aks\/karpenter\/|karpenter-provider-azure|karpenter-azure/,
    name: 'Karpenter for Azure',
    serves: { group: 'karpenter.azure.com', kind: 'AKSNodeClass' },
  },
  {
    image: /karpenter-provider-gcp|karpenter-gcp/,
    name: 'Karpenter for Google Cloud',
    serves: { group: 'karpenter.k8s.gcp', kind: 'GCENodeClass' },
  },
  {
    image: /karpenter-kwok|kwok-karpenter/,
    name: 'Karpenter for kwok',
    serves: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass' },
  },
  {
    image: /karpenter\/controller|karpenter-provider-aws/,
    name: 'Karpenter for AWS',
    serves: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' },
  },
];

/** Those that may be rivals are found by this label, which all their charts set. */
export const rivalSelector = 'app.kubernetes.io/name in (karpenter, gpu-provisioner)';

/** Where Karpenter's replicas elect their leader; the only sign of one that runs outside of the cluster. */
export const leaderLease = { namespace: 'kube-system', name: 'karpenter-leader-election' };

export type RivalSigns = {
  serves: readonly ServedKind[];
  /** Absent: they may not be listed. */
  deployments?: readonly RivalDeployment[];
  leader?: LeaseObject;
  /** Somebody was seen writing the status of a claim of ours. */
  written?: { who: string; claim: string };
  now: number;
};

/** Who manages the same claims, as a phrase for people; undefined: nobody that we know of. */
export function findRival({ serves, deployments, leader, written, now }: RivalSigns): string | undefined {
  if (written) return `${written.who}, which writes the status of NodeClaim ${written.claim}`;
  const running = (deployments ?? []).filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  for (const deployment of running) {
    const known = provisionerOf(deployment);
    if (known && isServed(serves, known.serves)) {
      const { namespace, name } = deployment.metadata;
      return `${known.name} (Deployment ${namespace}/${name}), which also serves ${known.serves.kind}`;
    }
  }
  // A leader that no Deployment explains runs elsewhere, as the managed Karpenter of AKS does.
  const isExplained = deployments === undefined || running.length > 0;
  const shared = provisioners.find(({ serves: kind }) => isServed(serves, kind));
  if (leader && shared && !isExplained && isAlive(leader, now)) {
    return `Karpenter (${leader.spec?.holderIdentity}), which is the leader by Lease ${leaderLease.namespace}/${leaderLease.name}`;
  }
  return undefined;
}

function provisionerOf({ spec }: RivalDeployment) {
  const images = (spec?.template?.spec?.containers ?? []).map(({ image }) => image ?? '');
  return provisioners.find(({ image }) => images.some((one) => image.test(one)));
}

const isServed = (serves: readonly ServedKind[], one: ServedKind): boolean =>
  serves.some(({ group, kind }) => group === one.group && kind === one.kind);

/** A generous time, because it is the other one's clock. */
const leaderAliveMs = 120_000;

const isAlive = ({ spec }: LeaseObject, now: number): boolean =>
  Boolean(spec?.holderIdentity) && now - Date.parse(spec?.renewTime ?? '') < leaderAliveMs;

/** Those who write the status of claims as provisioners do. A person with kubectl is not one. */
const rivalManager = /^(karpenter|gpu-provisioner)/;
/** Older writes are from before it was stopped. */
const writtenMs = 300_000;

type Managed = { manager?: string; subresource?: string; time?: string };

/** The other provisioner that wrote the status of this claim lately, if one did. */
export function rivalOn(claim: KubeObject, now: number): string | undefined {
  const { managedFields }: { managedFields?: unknown } = claim.metadata as object;
  if (!Array.isArray(managedFields)) return undefined;
  for (const { manager = '', subresource, time = '' } of managedFields as Managed[]) {
    if (subresource === 'status' && rivalManager.test(manager) && now - Date.parse(time) < writtenMs) return manager;
  }
  return undefined;
}
