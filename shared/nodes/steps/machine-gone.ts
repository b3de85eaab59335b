/** One machine, asked for by its providerID, and whether the provider says that it has it no more. */

import { failed, ok, type Result } from '../../base/result.ts';
import type { ClaimKey, Instance, InstanceTags, Provider } from '../../providers/contract.ts';
import { instanceIdOf } from '../../providers/instance-id.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from './services.ts';

/** The tags of this claim's instances, less the attempt, and by what they are known besides. */
export function claimKeyOf(deployment: string, cluster: string, ref: ClaimRef): ClaimKey {
  const age = ref.createdAt === undefined ? {} : { createdAt: ref.createdAt };
  return { deployment, cluster, claimUid: ref.uid, claimName: ref.name, ...age };
}

/**
 * What a predecessor made carries none of our tags, so nobody but its claim can ask for it: where the claim is known, a
 * machine that is not among our own is looked for there too.
 */
export async function getMachine(
  provider: Provider,
  owner: Pick<InstanceTags, 'deployment' | 'cluster'> | ClaimKey,
  providerID: string,
  signal: AbortSignal,
): Promise<Result<Instance>> {
  const got = await provider.get(owner, providerID, signal);
  if (!('claimName' in owner)) return got;
  // One whose claim nobody can tell from itself has no uid.
  if (got.ok ? got.value.owner.claimUid !== '' : got.error.kind !== 'not-found') return got;
  const found = await provider.find(owner, signal);
  if (!found.ok) return found;
  const id = instanceIdOf(provider, providerID);
  // A providerID of a shape that is not known is a machine's all the same, if the machine says so.
  const machine = found.value.find((one) => one.id === id || one.providerID === providerID);
  return machine ? ok(machine) : failed('not-found', `${providerID} was not created for claim ${owner.claimName}`);
}

/** Any answer but "not found" is no. */
export async function isGone(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  providerID: string,
  signal: AbortSignal,
  claim?: ClaimRef,
): Promise<boolean> {
  const identity = await cluster.identity();
  if (!identity.ok) return false;
  const { deployment } = services;
  const owner = claim ? claimKeyOf(deployment, identity.value, claim) : { deployment, cluster: identity.value };
  const got = await getMachine(provider, owner, providerID, signal);
  return !got.ok && got.error.kind === 'not-found';
}
