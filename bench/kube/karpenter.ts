/** The peer: Karpenter itself with its kwok provider, which makes Nodes instead of machines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeManifest, manifestsFrom } from '../../test/kube/cluster.ts';
import { getPart, moduleDirectory } from '../../test/kube/parts.ts';
import { startBooter } from './booter.ts';
import { bootSeconds, type Contender } from './contender.ts';
import { startMeasured } from './processes.ts';

const classRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

const crds = [
  'pkg/apis/crds/karpenter.sh_nodeclaims.yaml',
  'pkg/apis/crds/karpenter.sh_nodepools.yaml',
  'pkg/apis/crds/karpenter.sh_nodeoverlays.yaml',
  'pkg/apis/crds/autoscaling.x-k8s.io_capacitybuffers.yaml',
  'kwok/apis/crds/karpenter.kwok.sh_kwoknodeclasses.yaml',
];

export const karpenter: Contender = {
  name: 'Karpenter',
  agent: 'karpenter',
  claim: (name) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'default' } },
    spec: {
      nodeClassRef: classRef,
      // Its kwok provider needs to be told the type.
      requirements: [
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c-4x-amd64-linux'] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      ],
      resources: { requests: { cpu: '2', memory: '4Gi' } },
    },
  }),
  start: async (server, directory) => {
    const module = await moduleDirectory('karpenter-kwok');
    const definitions = crds.flatMap((file) => manifestsFrom(readFileSync(join(module, file), 'utf8')));
    await server.apply(...definitions, nodeClass, pool);
    const booter = await startBooter(server);
    const measured = await startMeasured({
      name: 'Karpenter',
      command: await getPart('karpenter-kwok'),
      args: [],
      env: {
        KUBECONFIG: server.kubeconfig,
        DISABLE_LEADER_ELECTION: 'true',
        SYSTEM_NAMESPACE: 'kube-system',
        KUBERNETES_MIN_VERSION: '1.19.0-0',
        CPU_REQUESTS: '1000',
      },
      log: join(directory, 'karpenter.log'),
      upWhen: '"controller":"nodeclaim.lifecycle"',
    });
    return {
      provisioner: [measured],
      cloud: [],
      end: async () => {
        await measured.end();
        await booter.end();
      },
    };
  },
};

const nodeClass: KubeManifest = {
  apiVersion: 'karpenter.kwok.sh/v1alpha1',
  kind: 'KWOKNodeClass',
  metadata: { name: 'default' },
  spec: { nodeRegistrationDelay: `${bootSeconds}s` },
};

/** It keeps its hands off the nodes: empty ones would be consolidated away. */
const pool: KubeManifest = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: { spec: { nodeClassRef: classRef, requirements: [], expireAfter: 'Never' } },
    disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] },
  },
};
