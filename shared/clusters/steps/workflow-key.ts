import { keyFor } from '../../workflow/keys.ts';
import type { RequestRef } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import type { RequestWorkflow } from './phase.ts';

/** The key of one of a request's workflows. */
export const workflowKey = (ref: RequestRef, kind: RequestWorkflow): string => keyFor(ref, kind);

export const refOf = (cluster: string, { metadata: { namespace, name, uid } }: StoredRequest): RequestRef => ({
  cluster,
  namespace,
  name,
  uid,
});
