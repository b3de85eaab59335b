/** Machines outside of Azure for clusters that requests have made: what nobody's deletion of a cluster takes with it. */
import type { Json } from '../../../shared/base/json.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';
import type { ClustersWorld } from '../../../sim/scenes/azure-clusters.ts';
import { sim } from '../../../sim/scenes/sim-scene.ts';

const claim = sim.claim('small') as Json;

/** One machine for each of these requests that this deployment serves the cluster of. Answers how many it asked for now. */
export async function askOutside(azure: ClustersWorld, requests: readonly StoredRequest[]): Promise<number> {
  let asked = 0;
  for (const { metadata, status } of requests) {
    const url = status?.cluster?.registeredAs === undefined ? undefined : azure.apiOf(metadata.name);
    if (url === undefined) continue;
    const client = createHttpClient({ baseUrl: url, userAgent: 'crash-test' });
    const create = (path: string, body: Json) => client.request({ method: 'POST', path, body, timeoutMs: 5000 });
    await create('/apis/poolwright.dev/v1alpha1/simnodeclasses', sim.nodeClass as Json);
    const answer = await create('/apis/karpenter.sh/v1/nodeclaims', claim);
    if (answer.ok && answer.status === 201) asked++;
    client.close();
  }
  return asked;
}
