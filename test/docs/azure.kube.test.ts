/** The page about Azure: `az`, `func` and `kubelogin` are stand-ins, the cluster is a real API server, and the function app is the local host. */
import { type Azure, startAzure } from '../../sim/azure/start.ts';
import { providerOptions, standInSecretVariable } from '../../sim/scenes/azure.ts';
import { freePorts } from '../free-ports.ts';
import { startKubeApiserver } from '../kube/apiserver.ts';
import type { KubeCluster } from '../kube/cluster.ts';
import type { GuardedProcess } from '../kube/guarded-process.ts';
import { expectNoRightsLeft, startPlatform } from './platform.ts';
import { runPage } from './run-page.ts';

const principal = '33333333-3333-4333-8333-333333333333';
let kube: KubeCluster & { stop(): Promise<void> };
let azure: Azure;
let app: GuardedProcess | undefined;
let port = 0;

runPage('docs/quick-start/azure.md', {
  standIns: ['az', 'func', 'kubelogin'],
  secondsPerBlock: 300,
  prepare: async ({ env }) => {
    kube = await startKubeApiserver();
    const { url, ca = '', token = '' } = kube.access;
    azure = await startAzure({ kubelet: { clusterUrl: url, ca, token } });
    [port = 0] = await freePorts(1);
    Object.assign(env, {
      DOCS_KUBECONFIG: kube.kubeconfig,
      DOCS_HOST_URL: `http://127.0.0.1:${port}`,
      DOCS_PRINCIPAL: principal,
    });
  },
  finish: async () => {
    await app?.stop();
    await azure?.close();
    await kube?.stop();
  },
  after: {
    'func azure functionapp publish': async (place) => {
      const providers = { aks: { type: 'aks', ...providerOptions(azure).aks } };
      const secret = { [standInSecretVariable]: azure.secret };
      app = await startPlatform(place, { kube, port, user: principal, providers, env: secret });
    },
    'kubectl delete namespace poolwright': () => expectNoRightsLeft(kube),
  },
});
