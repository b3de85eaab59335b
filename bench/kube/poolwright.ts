/** Ourselves: the local host as `npm start` runs it, with the simulated cloud in a process of its own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../shared/config/load.ts';
import { type KubeManifest, manifestsIn } from '../../test/kube/cluster.ts';
import { startCommand } from '../harness/host.ts';
import { startBooter } from './booter.ts';
import { bootSeconds, type Contender } from './contender.ts';
import { startMeasured } from './processes.ts';

const classRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
const crds = fileURLToPath(new URL('../../infra/kubernetes/crds', import.meta.url));
const cloudEntry = fileURLToPath(new URL('../../sim/cloud/main.ts', import.meta.url));

export const poolwright: Contender = {
  name: 'Poolwright',
  agent: 'poolwright',
  claim: (name) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: classRef,
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      ],
      resources: { requests: { cpu: '2', memory: '4Gi' } },
    },
  }),
  start: async (server, directory) => {
    await server.apply(...manifestsIn(crds), nodeClass);
    const cloudLog = join(directory, 'cloud.log');
    const { url: clusterUrl, ca, adminToken: token } = server;
    const cloud = await startMeasured({
      name: 'the simulated cloud',
      command: process.execPath,
      args: [
        cloudEntry,
        JSON.stringify({
          file: join(directory, 'cloud.db'),
          bootSeconds,
          deleteSeconds: 0,
          // The same process makes the nodes of both contenders Ready.
          readySeconds: null,
          taintUntilReady: false,
          startupTaintSeconds: null,
          nodeLostSeconds: null,
          kubelet: { clusterUrl, ca, token },
        }),
      ],
      log: cloudLog,
      upWhen: '"url"',
    });
    const { url } = JSON.parse(readFileSync(cloudLog, 'utf8').split('\n')[0] ?? '') as { url: string };
    const booter = await startBooter(server);
    const data = join(directory, 'host');
    mkdirSync(data, { recursive: true });
    const config: ConfigInput = {
      clusters: { bench: { kubeconfig: server.kubeconfig } },
      providers: { sim: { type: 'sim', url } },
      http: { port: 0 },
    };
    writeFileSync(join(data, 'bench.json'), JSON.stringify(config));
    const profile = process.env.BENCH_PROFILE;
    const host = await startMeasured({
      name: 'the host',
      command: process.execPath,
      args: [
        ...(profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]),
        ...startCommand(),
        '--config',
        join(data, 'bench.json'),
        '--data-dir',
        data,
        '--json',
      ],
      log: join(directory, 'host.log'),
      upWhen: '"host.started"',
    });
    return {
      provisioner: [host],
      cloud: [cloud],
      end: async () => {
        await host.end();
        await cloud.end();
        await booter.end();
      },
    };
  },
};

const nodeClass: KubeManifest = {
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'SimNodeClass',
  metadata: { name: 'default' },
  spec: {},
};
