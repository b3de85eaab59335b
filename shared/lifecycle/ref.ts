import type { StoredClaim } from './claim-access.ts';
import type { ClaimRef } from './services.ts';

export const refOf = (cluster: string, claim: StoredClaim): ClaimRef => ({
  cluster,
  name: claim.metadata.name,
  uid: claim.metadata.uid,
});
