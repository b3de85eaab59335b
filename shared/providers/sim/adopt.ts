/** Whether a machine of the simulated cloud was made for a claim by somebody else, and which tags make it ours. */
import { failed, ok, type Result } from '../../base/result.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { ClaimKey } from '../contract.ts';
import { ownerOf, sameOwner, tagsOf, type WireInstance } from './wire.ts';

/** What another provisioner of this cloud would put on its machines. */
const predecessorTags = { claim: 'karpenter.sh/nodeclaim', cluster: 'karpenter.sh/cluster' } as const;

interface Wanted {
  tags: Record<string, string>;
  /** It carries them already. */
  isOurs: boolean;
}

/** What another provisioner made is the first attempt of its claim. */
export function wantedFor(wire: WireInstance, providerID: string, claim: ClaimKey): Result<Wanted> {
  const { deployment, cluster, claimUid, claimName } = claim;
  const owner = { deployment, cluster, claimUid, attempt: 1 };
  const tags = { [tagKeys.claim]: claimName, ...tagsOf(owner) };
  const has = ownerOf(wire.tags);
  if (wire.providerID !== providerID) return refused(wire, `it is ${wire.providerID}`);
  if (has !== undefined && sameOwner(has, owner)) return ok({ tags, isOurs: true });
  if (wire.tags[tagKeys.deployment] !== undefined) {
    return refused(wire, `it belongs to deployment ${wire.tags[tagKeys.deployment]}`);
  }
  if (wire.state === 'deleting' || wire.state === 'gone') return refused(wire, 'it is being deleted');
  if (wire.tags[predecessorTags.claim] !== claimName || wire.tags[predecessorTags.cluster] !== cluster) {
    return refused(wire, `its tags do not show that it was created for claim ${claimName} of this cluster`);
  }
  return ok({ tags, isOurs: false });
}

const refused = ({ id }: WireInstance, why: string): Result<never> =>
  failed('invalid', `instance ${id} is not touched: ${why}`);
