/** What a provider has in a cluster, a page at a time, and what became of the claim of each machine. */

import { defined } from '../../../shared/base/defined.ts';
import { inParallel } from '../../../shared/base/in-parallel.ts';
import { quoteInput } from '../../../shared/base/problems.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { isOrphan } from '../../../shared/nodes/claims/attempt/attempt.ts';
import { readClaim, readingOf, viewOf } from '../../../shared/nodes/steps/claim-access.ts';
import { viewInstance } from '../../../shared/nodes/steps/instance-view.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { Instance } from '../../../shared/providers/contract.ts';
import type { FunctionServices } from '../../declaration.ts';

export interface ListInstancesInput {
  provider: string;
  cluster: string;
  /** The provider's own `next`. */
  page?: string;
}

/** `another`: a claim of that name, but not this one. `moved-on`: the claim has another machine, or none. */
export type ClaimState = 'present' | 'gone' | 'another' | 'moved-on' | 'unknown';

export interface ListInstancesOutput {
  items: { instance: Instance; claim: ClaimState }[];
  next?: string;
}

/** So many claims are read at a time. */
const width = 16;

export async function answerListInstances(
  services: FunctionServices,
  { provider: name, cluster: clusterName, page }: ListInstancesInput,
  signal: AbortSignal,
): Promise<Result<ListInstancesOutput>> {
  const cluster = services.cluster(clusterName);
  const provider = cluster?.providers.find((one) => one.name === name);
  if (!cluster || !provider) {
    return failed('not-found', `provider ${quoteInput(name)} does not serve cluster ${quoteInput(clusterName)}`);
  }
  const identity = await cluster.identity();
  if (!identity.ok) return identity;
  const listed = await provider.list({ deployment: services.deployment, cluster: identity.value }, page, signal);
  if (!listed.ok) return listed;
  const states = new Map<Instance, ClaimState>();
  await inParallel(listed.value.items, width, async (instance) => {
    states.set(instance, await claimOf(cluster, instance, signal));
  });
  const items = listed.value.items.map((instance) => ({ instance, claim: states.get(instance) ?? 'unknown' }));
  return ok({ items, ...defined({ next: listed.value.next }) });
}

/** One reading, for people: whoever deletes makes two, a grace apart. */
async function claimOf(cluster: ClusterServices, instance: Instance, signal: AbortSignal): Promise<ClaimState> {
  const ref = { cluster: cluster.name, name: instance.claimName, uid: instance.owner.claimUid };
  const read = await readClaim(cluster, ref, signal);
  switch (read.found) {
    case 'unknown':
      return 'unknown';
    case 'absent':
      return 'gone';
    case 'other-uid':
      return 'another';
    case 'claim':
      return isOrphan(readingOf(read), viewInstance(instance, cluster, viewOf(read))) ? 'moved-on' : 'present';
  }
}
