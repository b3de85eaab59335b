/** Every kind that Poolwright brings to a cluster: claims, pools, and the node classes of each provider. */
import { builtInProviders } from '../providers/registry.ts';
import { type Crd, toCrd } from './crd.ts';
import type { KindDefinition } from './definition.ts';
import { nodeClaimDefinition } from './node-claim.ts';
import { nodePoolDefinition } from './node-pool.ts';

export async function kindDefinitions(): Promise<KindDefinition[]> {
  const ofProviders = await Promise.all(Object.values(builtInProviders).map((entry) => entry.definitions?.()));
  return [nodeClaimDefinition, nodePoolDefinition, ...ofProviders.flatMap((one) => one?.definitions ?? [])];
}

/** @param release Stands on each definition, so that one can see later whose it is. */
export const crdsOfRelease = async (release: string): Promise<Crd[]> =>
  (await kindDefinitions()).map((definition) => toCrd(definition, release));
