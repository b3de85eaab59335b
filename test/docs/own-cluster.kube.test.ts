/** The page about a cluster of one's own, on a real API server that knows nothing of us before. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startKubeApiserver } from '../kube/apiserver.ts';
import type { KubeCluster } from '../kube/cluster.ts';
import { expectNoRightsLeft } from './platform.ts';
import { runPage } from './run-page.ts';

let kube: KubeCluster & { stop(): Promise<void> };

runPage('docs/quick-start/own-cluster.md', {
  secondsPerBlock: 120,
  ports: [8480],
  startsHost: true,
  finish: async () => kube?.stop(),
  after: { 'kubectl delete namespace poolwright': () => expectNoRightsLeft(kube) },
  prepare: async ({ home }) => {
    kube = await startKubeApiserver();
    mkdirSync(join(home, '.kube'));
    copyFileSync(kube.kubeconfig, join(home, '.kube/config'));
  },
});
