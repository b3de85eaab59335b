/** What the host writes in a claim's life, in the same shape and size, without the thought behind it. */
import type { Json } from '../../shared/base/json.ts';

export interface KubeMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  finalizers?: string[];
}

const offering = { instanceType: 'arm-medium', zone: 'zone-a', capacityType: 'spot' };
const finalizer = 'karpenter.sh/termination';
const labels = {
  'karpenter.sh/capacity-type': offering.capacityType,
  'node.kubernetes.io/instance-type': offering.instanceType,
  'topology.kubernetes.io/zone': offering.zone,
};

const onlyIfUnchanged = ({ uid, resourceVersion }: KubeMeta) => ({ uid, resourceVersion });

export const openAttempt = (claim: KubeMeta): Json => ({
  metadata: {
    ...onlyIfUnchanged(claim),
    annotations: {
      'poolwright.dev/attempt': JSON.stringify({
        uid: claim.uid,
        attempt: 1,
        provider: 'sim',
        offering,
        state: 'open',
        rights: 1,
        holder: `sim/${claim.uid}/launch/29913425#abcdefghijklmnop`,
      }),
    },
    labels: { ...labels, 'poolwright.dev/simnodeclass': 'bench' },
    finalizers: [finalizer],
  },
});

export const newInstance = (claim: KubeMeta): Json => ({
  name: `${claim.name}-${claim.uid.slice(0, 13)}`,
  token: `${claim.uid}-1`,
  ...offering,
  tags: {
    'poolwright.dev/claim': claim.name,
    'poolwright.dev/deployment': 'bare',
    'poolwright.dev/cluster': 'b9ca8166-7572-42e7-b41f-d64bfd3aabd6',
    'poolwright.dev/claim-uid': claim.uid,
    'poolwright.dev/attempt': '1',
  },
  labels: { ...labels, 'poolwright.dev/simnodeclass': 'bench' },
  taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
});

export const registerNode = (node: KubeMeta, claim: KubeMeta): Json => ({
  metadata: {
    ...onlyIfUnchanged(node),
    labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    finalizers: [finalizer],
    ownerReferences: [
      { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: claim.name, uid: claim.uid, blockOwnerDeletion: true },
    ],
  },
  spec: { taints: [] },
});

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const condition = (type: string, status: string): Json => ({
  type,
  status,
  reason: type,
  message: '',
  lastTransitionTime: now(),
  observedGeneration: 1,
});

/** Only the last one of a claim's status writes says Ready; the earlier ones say what there is until then. */
export const claimStatus = (claim: KubeMeta, instance: { id: string }, ready: boolean): Json => ({
  metadata: onlyIfUnchanged(claim),
  status: {
    providerID: `sim:///${offering.zone}/${instance.id}`,
    imageID: 'sim-image-1',
    nodeName: instance.id,
    capacity: { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' },
    allocatable: { cpu: '3920m', memory: '15637Mi', pods: '110', 'ephemeral-storage': '90Gi' },
    conditions: ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) =>
      condition(type, ready || type === 'Launched' ? 'True' : 'Unknown'),
    ),
  },
});

export const keepPodsAway = (node: KubeMeta): Json => ({
  metadata: {
    ...onlyIfUnchanged(node),
    labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
  },
  spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] },
});

export const withoutFinalizer = (object: KubeMeta): Json => ({
  metadata: { ...onlyIfUnchanged(object), finalizers: [] },
});

export const eventAbout = (claim: KubeMeta, { id }: { id: string }): Json => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${claim.name}.${claim.uid.slice(0, 16)}`, namespace: 'default' },
  involvedObject: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: claim.name, uid: claim.uid },
  type: 'Normal',
  reason: 'Ready',
  message: `node ${id} is ready (${offering.instanceType}, ${offering.zone}, ${offering.capacityType})`,
  source: { component: 'bare' },
  reportingComponent: 'bare',
  reportingInstance: 'bare',
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 1,
});
