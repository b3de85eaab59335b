/** Every kind that Poolwright brings to a cluster: claims, pools, cluster requests, virtual machines, and the node classes of each provider. */
import { clusterRequestDefinition } from '../clusters/request/definition.ts';
import { type Crd, toCrd } from '../kube/crds/crd.ts';
import type { KindDefinition } from '../kube/crds/definition.ts';
import { machineDefinitions } from '../machines/api/definitions.ts';
import { nodeClaimDefinition } from '../nodes/api/node-claim.ts';
import { nodePoolDefinition } from '../nodes/api/node-pool.ts';
import type { ProviderManifest } from './manifest.ts';
import { manifests } from './manifests.ts';

export async function kindDefinitions(): Promise<KindDefinition[]> {
  const ofProviders = await Promise.all(
    (manifests as readonly ProviderManifest[]).map((manifest) => manifest.definitions?.()),
  );
  const ofNodeClasses = ofProviders.flatMap((one) => one?.definitions ?? []);
  return [nodeClaimDefinition, nodePoolDefinition, clusterRequestDefinition, ...machineDefinitions, ...ofNodeClasses];
}

/** @param release Stands on each definition, so that one can see later whose it is. */
export const crdsOfRelease = async (release: string): Promise<Crd[]> =>
  (await kindDefinitions()).map((definition) => toCrd(definition, release));
