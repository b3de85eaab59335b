/** Who made a claim decides what happens when it can't be had. */
import { labels } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';

/** A NodePool's claim is deleted when it can't be had, so that its owner decides again; anybody else's stays and says why. */
export const ownedByPool = (claim: StoredClaim): boolean =>
  claim.metadata.ownerReferences?.some(
    (owner) => owner.kind === 'NodePool' && owner.apiVersion.startsWith('karpenter.sh/'),
  ) ?? false;

/** For metrics; bounded by the number of pools. */
export const nodePoolOf = (claim: StoredClaim): string => claim.metadata.labels?.[labels.nodePool] ?? '';
