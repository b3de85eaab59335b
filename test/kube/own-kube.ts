/**
 * A real cluster for one test file alone. A whole host acts on every claim that it finds, so it must not see those of other
 * tests. Where the environment names a cluster, that one is emptied first; its run has no two files at once.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { type KubeApiserverOptions, startKubeApiserver } from './apiserver.ts';
import { type KubeCluster, kubeCluster, manifestsIn } from './cluster.ts';

const definitions = join(import.meta.dirname, '../../infra/kubernetes/crds');

/** Call it outside of tests; the function that it returns gives the cluster inside of them. */
export function useOwnKube(options: KubeApiserverOptions = {}): () => KubeCluster {
  let kube: KubeCluster | undefined;
  let stop = async (): Promise<void> => undefined;
  beforeAll(async () => {
    if (inject('kubeIsNamed')) {
      kube = kubeCluster(inject('kube'));
      await empty(kube);
      return;
    }
    const server = await startKubeApiserver(options);
    kube = server;
    ({ stop } = server);
    await kube.apply(...manifestsIn(definitions));
  });
  afterAll(() => stop());
  return () => {
    if (kube === undefined) throw new Error('the cluster is not up yet');
    return kube;
  };
}

const ours = [
  '/apis/karpenter.sh/v1/nodepools',
  '/apis/karpenter.sh/v1/nodeclaims',
  '/apis/poolwright.dev/v1alpha1/simnodeclasses',
];

async function empty(kube: KubeCluster): Promise<void> {
  for (const path of ours) {
    const { body } = await kube.request('GET', path);
    for (const { metadata } of body.items) {
      await kube.request('DELETE', `${path}/${metadata.name}`);
      // Nobody is there who would do what the finalizers wait for.
      const patch = { metadata: { finalizers: null } };
      await kube.request('PATCH', `${path}/${metadata.name}`, patch, 'application/merge-patch+json');
    }
  }
}
