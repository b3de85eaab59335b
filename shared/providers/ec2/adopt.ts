/**
 * Making a machine ours that Karpenter made for a claim, because a person asked for it. EC2 has no conditional tags: whoever writes looks
 * right before and right after, and the role may tag no machine that has a deployment already.
 */
import { failed, ok, type Result } from '../../base/result.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { Adoption, ClaimKey, InstanceTags } from '../contract.ts';
import type { Ec2Calls } from './calls/calls.ts';
import { isOwned, type Machine, providerIdOf } from './instance.ts';
import { instanceIdIn } from './instance-id.ts';
import type { Machines } from './machines.ts';
import type { Shapes } from './shapes.ts';
import { isSameOwner, ownTagsFor, toSdkTags } from './tags.ts';

export interface AdoptParts {
  calls: Pick<Ec2Calls, 'ec2'>;
  machines: Pick<Machines, 'get'>;
  shapes: Pick<Shapes, 'instanceOf'>;
  clusterName: string;
}

/** Two clocks, and times in whole seconds. */
const skewMs = 60_000;

const nodeClaimTag = 'karpenter.sh/nodeclaim';

export async function adoptMachine(
  parts: AdoptParts,
  claim: ClaimKey,
  providerID: string,
  { dryRun }: { dryRun: boolean },
  signal: AbortSignal,
): Promise<Result<Adoption>> {
  const id = instanceIdIn(providerID);
  if (id === undefined) return failed('not-found', `${providerID} is not an EC2 instance`);
  const { deployment, cluster, claimUid } = claim;
  const owner: InstanceTags = { deployment, cluster, claimUid, attempt: 1 };
  const seen = await look(parts, id, providerID, signal);
  if (!seen.ok) return seen;
  const isOurs = isOwned(seen.value) && isSameOwner(seen.value.owner, owner);
  const problem = isOurs ? undefined : whyNot(seen.value, claim, parts.clusterName);
  if (problem !== undefined) return failed('invalid', `instance ${id} is not touched: ${problem}`);
  // All others stay as they are.
  const tags = ownTagsFor(owner, claim.claimName, seen.value.offering);
  const adoption = async (machine: Machine, adopted: boolean): Promise<Result<Adoption>> => {
    const ours = { ...machine, owner, tags: { ...machine.tags, ...tags } };
    return ok({ instance: await parts.shapes.instanceOf(ours), adopted, tags });
  };
  if (dryRun || isOurs) return adoption(seen.value, isOurs);
  const written = await parts.calls.ec2('CreateTags', { Resources: [id], Tags: toSdkTags(tags) }, signal);
  if (!written.ok) return written;
  const after = await look(parts, id, providerID, signal);
  if (!after.ok) return after;
  if (isOwned(after.value) && !isSameOwner(after.value.owner, owner)) {
    const other = after.value.owner.deployment;
    return failed(
      'conflict',
      `deployment ${other} adopted instance ${id} at the same moment: check which deployment acts on this cluster`,
    );
  }
  // Tags may show a little later; that they were written was answered.
  return adoption(after.value, false);
}

async function look(
  { machines }: AdoptParts,
  id: string,
  providerID: string,
  signal: AbortSignal,
): Promise<Result<Machine>> {
  const seen = await machines.get(id, signal);
  if (!seen.ok) return seen;
  const machine = seen.value;
  if (machine === undefined || machine.state === 'terminated' || providerIdOf(machine) !== providerID) {
    return failed('not-found', `instance ${providerID} no longer exists`);
  }
  return ok(machine);
}

/** Everything must say that it was made for this claim, and nothing that somebody has it. */
function whyNot({ tags, state, launchedAt }: Machine, claim: ClaimKey, clusterName: string): string | undefined {
  const deployment = tags[tagKeys.deployment];
  if (deployment !== undefined) return `it belongs to deployment ${deployment}`;
  if (state === 'shutting-down') return 'it is being terminated';
  const named = tags[nodeClaimTag];
  if (named === undefined) return `it has no tag ${nodeClaimTag}`;
  if (named !== claim.claimName) return `its tag ${nodeClaimTag} is ${named}, but the claim is ${claim.claimName}`;
  if (tags[`kubernetes.io/cluster/${clusterName}`] === undefined && tags['eks:eks-cluster-name'] !== clusterName) {
    return `its tags do not show that it belongs to cluster ${clusterName}`;
  }
  if (claim.createdAt !== undefined && launchedAt + skewMs < claim.createdAt) {
    return 'it is older than the claim: it was created for an earlier claim of that name';
  }
  return undefined;
}
