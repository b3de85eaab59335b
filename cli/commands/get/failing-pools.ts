/** Why there may be no claims: a pool whose claims fail has none for most of the time. */
import { poolUnmet } from '../../../shared/explain/objects/unmet.ts';
import { type ClusterApi, nodePools } from '../../../shared/kube/contract.ts';
import type { StoredPool } from '../../../shared/nodes/disruption/types.ts';

const sample = 500;

/** To be put behind what is said of an empty list. */
export async function failingPools(api: ClusterApi): Promise<string> {
  const page = await api.list<StoredPool>(nodePools, { limit: sample });
  const failing = page.ok ? page.value.items.filter((pool) => poolUnmet(pool) !== undefined) : [];
  const [first] = failing;
  if (first === undefined) return '';
  const { name } = first.metadata;
  const which = failing.length === 1 ? `Pool ${name} is` : `${failing.length} pools are`;
  return ` ${which} not ready: poolwright ${failing.length === 1 ? `explain pool/${name}` : 'get pools'}`;
}
