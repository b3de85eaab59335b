/**
 * Making a VM ours that Karpenter's provider for CloudStack made for a claim, because a person asked for it. CloudStack has no
 * conditional tags: whoever writes looks right before and right after.
 */
import { failed, ok, type Result } from '../../base/result.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { CloudStackClient } from '../../platforms/cloudstack/client.ts';
import type { Adoption, ClaimKey, Instance, InstanceTags } from '../contract.ts';
import { instanceIdIn } from './instance-id.ts';
import { cloudStackTags, isSameOwner, ownTagsFor, tagFields } from './instances/ownership.ts';
import { isGone, isOwned, type OwnedVm, type Vm, withTags } from './instances/vm.ts';
import type { Vms } from './instances/vms.ts';

export interface AdoptParts {
  client: Pick<CloudStackClient, 'call' | 'job'>;
  vms: Pick<Vms, 'get'>;
  instanceOf(vm: OwnedVm): Promise<Instance>;
  typeOf(vm: Vm): string;
}

/** Two clocks, and times in whole seconds. */
const skewMs = 60_000;
/** How that provider names its VMs. */
const theirPrefix = 'karpenter-';

export async function adoptVm(
  parts: AdoptParts,
  claim: ClaimKey,
  providerID: string,
  { dryRun }: { dryRun: boolean },
  signal: AbortSignal,
): Promise<Result<Adoption>> {
  const id = instanceIdIn(providerID);
  if (id === undefined) return failed('not-found', `${providerID} is not a VM of CloudStack`);
  const { deployment, cluster, claimUid } = claim;
  const owner: InstanceTags = { deployment, cluster, claimUid, attempt: 1 };
  const seen = await look(parts, id, providerID, signal);
  if (!seen.ok) return seen;
  const vm = seen.value;
  const isOurs = isOwned(vm) && isSameOwner(vm.owned.owner, owner);
  const problem = isOurs ? undefined : whyNot(vm, claim);
  if (problem !== undefined) return failed('invalid', `VM ${id} is not touched: ${problem}`);
  // All others stay as they are; what it was made of nobody knows, so nothing of it counts as changed.
  const tags = ownTagsFor(owner, claim.claimName, { instanceType: parts.typeOf(vm), capacityType: 'on-demand' });
  const adoption = async (adopted: boolean): Promise<Result<Adoption>> => {
    const ours = withTags(vm, tags);
    if (!isOwned(ours)) return failed('invalid', `the tags of VM ${id} do not name an owner`);
    return ok({ instance: await parts.instanceOf(ours), adopted, tags });
  };
  if (dryRun || isOurs) return adoption(isOurs);
  const params = { resourceids: [id], resourcetype: 'UserVm', tags: tagFields(tags) };
  const written = await parts.client.call('createTags', params, signal);
  if (!written.ok) return written;
  const after = await look(parts, id, providerID, signal);
  if (!after.ok) return after;
  if (isOwned(after.value) && !isSameOwner(after.value.owned.owner, owner)) {
    const other = after.value.owned.owner.deployment;
    return failed(
      'conflict',
      `deployment ${other} adopted VM ${id} at the same moment: check which deployment acts on this cluster`,
    );
  }
  // Its job may still be writing them; that it was taken was answered.
  return adoption(false);
}

async function look({ vms }: AdoptParts, id: string, providerID: string, signal: AbortSignal): Promise<Result<Vm>> {
  const seen = await vms.get(id, signal);
  if (!seen.ok) return seen;
  const vm = seen.value;
  return vm === undefined || isGone(vm) ? failed('not-found', `VM ${providerID} no longer exists`) : ok(vm);
}

/** Name and tags must say that it was made for this claim, and nothing that somebody has it. */
function whyNot(vm: Vm, claim: ClaimKey): string | undefined {
  const { tags, state, createdAt, name, owned } = vm;
  if (owned !== undefined) return `it belongs to deployment ${owned.owner.deployment}`;
  if (tags[tagKeys.deployment] !== undefined) return `it belongs to deployment ${tags[tagKeys.deployment]}`;
  if (state === 'Stopping') return 'it is being stopped';
  const named = tags[cloudStackTags.nodeClaim] ?? (name.startsWith(theirPrefix) ? name.slice(theirPrefix.length) : '');
  if (named === '') return `it has no tag ${cloudStackTags.nodeClaim}, and its name is not ${theirPrefix}<claim>`;
  if (named !== claim.claimName) return `it was created for claim ${named}, not ${claim.claimName}`;
  if (claim.createdAt !== undefined && createdAt + skewMs < claim.createdAt) {
    return 'it is older than the claim: it was created for an earlier claim of that name';
  }
  return undefined;
}
