/** All claims that have a machine, by its id: one list of a cluster answers for many messages, for a little while. */

import { ok, type Result } from '../../../base/result.ts';
import { nodeClaims } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import type { Provider } from '../../../providers/contract.ts';
import { instanceIdOf } from '../../../providers/instance-id.ts';
import type { StoredClaim } from '../../steps/claim-access.ts';
import { shapeClaim } from '../../steps/claim-shape.ts';
import { isOurs } from '../../steps/is-ours.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';

type Claims = ReadonlyMap<string, StoredClaim>;
type List = { at: number; answer: Promise<Result<Claims>> };
const lists = new WeakMap<ClusterServices, List>();

/** Who hears about machines by messages at all. */
export const hearsOfInterruptions = ({ traits }: Provider): boolean =>
  traits.abilities.includes('interruption-notices');

/** As a list says that is no older than this. Those who ask at the same time share it. */
export async function listedClaim(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  instance: string,
  maxAgeSeconds: number,
  signal: AbortSignal,
): Promise<Result<StoredClaim | undefined>> {
  const now = services.clock.now();
  let list = lists.get(cluster);
  if (list === undefined || now - list.at >= maxAgeSeconds * 1000) {
    list = { at: now, answer: readList(services, cluster, signal) };
    lists.set(cluster, list);
  }
  const claims = await list.answer;
  if (claims.ok) return ok(claims.value.get(`${provider.name}/${instance}`));
  if (lists.get(cluster) === list) lists.delete(cluster);
  return claims;
}

async function readList(
  services: LifecycleServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Result<Claims>> {
  const claims = new Map<string, StoredClaim>();
  const listening = cluster.providers.filter(hearsOfInterruptions);
  const listed = await listAll<StoredClaim>(
    cluster.api,
    nodeClaims,
    {},
    {
      onStart: () => claims.clear(),
      onItem: (stored) => {
        const claim = shapeClaim(stored);
        const { providerID } = claim.status ?? {};
        if (!providerID || !isOurs(services, cluster.name, claim)) return;
        for (const provider of listening) {
          const id = instanceIdOf(provider, providerID);
          if (id !== undefined) claims.set(`${provider.name}/${id}`, claim);
        }
      },
    },
    signal,
  );
  return listed.ok ? ok(claims) : listed;
}
