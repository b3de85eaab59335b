/** Which claims of a pool go first when there are too many. */
import type { PoolClaim } from './types.ts';

/** What costs least first: no machine yet, no node yet, a node that is not ready, an outdated one; at last what is marked. */
function rank(claim: PoolClaim): number {
  if (claim.doNotDisrupt) return 5;
  if (!claim.launched) return 0;
  if (!claim.initialized) return 1;
  if (!claim.nodeReady) return 2;
  return claim.outdated === undefined ? 4 : 3;
}

/**
 * The emptier node goes first. Outdated nodes leave oldest first, so that none is kept for ever; of the others the youngest
 * goes, since least has settled on it. The name decides between equals: two runs that look at the same pool pick the same.
 */
export const inRemovalOrder = (claims: readonly PoolClaim[]): PoolClaim[] =>
  claims.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.pods ?? 0) - (b.pods ?? 0) ||
      (a.outdated === undefined ? b.createdAt - a.createdAt : a.createdAt - b.createdAt) ||
      (a.name < b.name ? -1 : 1),
  );
