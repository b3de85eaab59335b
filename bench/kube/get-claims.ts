/** `poolwright get claims` beside `kubectl get nodeclaims`, on one server with ten thousand claims. */
import { fileURLToPath } from 'node:url';
import type { Json } from '../../shared/base/json.ts';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { startKubeApiserver } from '../../test/kube/apiserver.ts';
import { manifestsIn } from '../../test/kube/cluster.ts';
import type { Figure } from '../figure.ts';
import { builtCommand, timeCommands } from '../harness/command-times.ts';

const crds = fileURLToPath(new URL('../../infra/kubernetes/crds', import.meta.url));
const concurrency = 16;

export const getClaims: Figure = {
  name: '10,000 claims: poolwright get claims ÷ kubectl get nodeclaims',
  unit: '',
  limit: 2,
  allowed: 'at most',
  measure: async (bench) => {
    const { many, rounds } = bench.sizes;
    const server = await startKubeApiserver();
    const api = server.connect({ name: 'bench', fieldManager: 'bench', requestTimeoutMs: 120_000 });
    try {
      await server.apply(...manifestsIn(crds));
      await fill(api, many);
      const where = ['--kubeconfig', server.kubeconfig];
      const [kubectl, ours] = timeCommands(
        [
          { name: 'kubectl', command: 'kubectl', args: ['get', 'nodeclaims', ...where], lines: many + 1 },
          {
            name: 'poolwright',
            command: process.execPath,
            args: ['--max-semi-space-size=16', await builtCommand(), 'get', 'claims', ...where],
            lines: many + 1,
          },
        ],
        rounds,
      );
      bench.say(
        `${many} claims: kubectl ${kubectl?.milliseconds.toFixed(0)} ms, poolwright ${ours?.milliseconds.toFixed(0)} ms`,
      );
      return ours?.ratio ?? Number.POSITIVE_INFINITY;
    } finally {
      api.close();
      await server.stop();
    }
  },
};

/** Claims at rest, with all that a life leaves on them. */
async function fill(api: ClusterApi, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const name = `claim-${String(index).padStart(5, '0')}`;
      const created = await api.create(nodeClaims, claim(name, index));
      if (!created.ok) throw new Error(created.error.message);
      const { uid } = created.value.metadata;
      const written = await api.mergePatch(nodeClaims, { name }, { metadata: { annotations: record(uid) } });
      if (!written.ok) throw new Error(written.error.message);
      const status = await api.mergePatch(nodeClaims, { name }, launched(name), { subresource: 'status' });
      if (!status.ok) throw new Error(status.error.message);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const offering = { instanceType: 'general-large', zone: 'zone-a', capacityType: 'spot' };

const claim = (name: string, index: number): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name,
    finalizers: ['karpenter.sh/termination'],
    labels: {
      'karpenter.sh/nodepool': `pool-${index % 20}`,
      'karpenter.sh/capacity-type': offering.capacityType,
      'node.kubernetes.io/instance-type': offering.instanceType,
      'topology.kubernetes.io/zone': offering.zone,
    },
  },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    ],
    resources: { requests: { cpu: '2', memory: '4Gi' } },
  },
});

const record = (uid: string): { [annotation: string]: string } => ({
  'poolwright.dev/attempt': JSON.stringify({
    uid,
    attempt: 1,
    provider: 'sim',
    offering,
    state: 'open',
    rights: 1,
    holder: `bench/${uid}/launch/29914154#hgL1EMb4yuhxDV8K`,
  }),
  'poolwright.dev/price-per-hour': '0.0384',
});

function launched(name: string): Json {
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 1,
  }));
  const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const providerID = `sim:///${offering.zone}/i-${name}`;
  return {
    status: {
      providerID,
      nodeName: `i-${name}`,
      imageID: 'sim-image-1',
      capacity: resources,
      allocatable: resources,
      conditions,
    },
  };
}
