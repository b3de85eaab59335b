/** The page about AWS: `aws` and `osls deploy` are stand-ins, the cluster is a real API server, and the functions are the local host. */
import { installExtra } from '../../scripts/extra-packages.ts';
import { type Aws, startAws } from '../../sim/aws/start.ts';
import { ec2Environment, ec2Options } from '../../sim/scenes/aws.ts';
import { freePorts } from '../free-ports.ts';
import { startKubeApiserver } from '../kube/apiserver.ts';
import type { KubeCluster } from '../kube/cluster.ts';
import type { GuardedProcess } from '../kube/guarded-process.ts';
import { expectNoRightsLeft, startPlatform } from './platform.ts';
import { runPage } from './run-page.ts';

let kube: KubeCluster & { stop(): Promise<void> };
let aws: Aws;
let functions: GuardedProcess | undefined;
let port = 0;

// The page's commands run offline, with the packages that are there when they begin.
await installExtra('scripts/osls');

runPage('docs/quick-start/aws.md', {
  standIns: ['aws', 'npx'],
  secondsPerBlock: 600,
  prepare: async ({ env }) => {
    kube = await startKubeApiserver();
    const { url, ca = '', token = '' } = kube.access;
    aws = await startAws({ clusterName: 'east', kubelet: { clusterUrl: url, ca, token } });
    // As the page makes it, by a stand-in that tells nobody.
    aws.account.roles.add('poolwright-node-east');
    [port = 0] = await freePorts(1);
    Object.assign(env, { DOCS_KUBECONFIG: kube.kubeconfig, DOCS_HOST_URL: `http://127.0.0.1:${port}` });
  },
  finish: async () => {
    await functions?.stop();
    await aws?.close();
    await kube?.stop();
  },
  after: {
    // The access entries of the stack say who the functions are in the cluster.
    'kubectl create clusterrolebinding poolwright-aws': async (place) => {
      const providers = { aws: { type: 'ec2', ...ec2Options(aws) } };
      const who = { user: 'functions', groups: ['poolwright'] };
      functions = await startPlatform(place, { kube, port, ...who, providers, env: ec2Environment(aws) });
    },
    'kubectl delete namespace poolwright': () => expectNoRightsLeft(kube),
  },
});
