/** One real API server for a whole run of `npm run test:kube`, with our definitions installed. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readKubeconfig } from '../../shared/kube/access/kubeconfig.ts';
import { startKubeApiserver } from './apiserver.ts';
import { type KubeAccess, kubeCluster, manifestsIn } from './cluster.ts';
import { getPart, moduleDirectory } from './parts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    kube: KubeAccess;
    /** Somebody has named the cluster: it is theirs, and the only one. */
    kubeIsNamed: boolean;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const named = process.env.TEST_KUBECONFIG;
  // Before any test: a build takes longer than a test may.
  for (const part of ['helm', 'karpenter-kwok'] as const) await getPart(part);
  await moduleDirectory('karpenter-kwok');
  const { access, stop } = named ? fromKubeconfig(named) : await ownServer();
  try {
    await kubeCluster(access).apply(...manifestsIn(join(import.meta.dirname, '../../infra/kubernetes/crds')));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('kube', access);
  project.provide('kubeIsNamed', Boolean(named));
  return stop;
}

async function ownServer() {
  const { access, stop } = await startKubeApiserver();
  return { access, stop };
}

/** Somebody's own cluster: it is left running, and our definitions stay. */
function fromKubeconfig(file: string) {
  const read = readKubeconfig(file);
  if (!read.ok) throw new Error(`TEST_KUBECONFIG can't be used. ${read.text}`);
  return { access: { ...read.access, kubeconfig: file }, stop: async () => undefined };
}
