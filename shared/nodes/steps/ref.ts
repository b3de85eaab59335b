import type { StoredClaim } from './claim-access.ts';
import type { ClaimRef } from './services.ts';

const ageOf = ({ metadata }: StoredClaim): Pick<ClaimRef, 'createdAt'> => {
  const createdAt = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(createdAt) ? {} : { createdAt };
};

export const refOf = (cluster: string, claim: StoredClaim): ClaimRef => ({
  cluster,
  name: claim.metadata.name,
  uid: claim.metadata.uid,
  ...ageOf(claim),
});
