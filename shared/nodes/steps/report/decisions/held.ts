/** What keeps a step from acting, and what was noticed from outside of a claim's own steps. */
import { annotations } from '../../../claims/spec/well-known.ts';
import { kind } from './kind.ts';

export const heldDecisions = {
  'read-only': kind<{ reason: string; who?: string; message: string }>({
    step: 'owner',
    text: ({ message }) => message,
  }),
  'provider-missing': kind<{ message: string }>({ step: 'provider', text: ({ message }) => message }),
  'claim-not-writable': kind<{ message: string }>({
    step: 'write',
    text: ({ message }) => `the API server rejects writes to this claim: ${message}`,
  }),
  'record-unreadable': kind<{ problem: string }>({
    step: 'record',
    text: ({ problem }) =>
      `the annotation ${annotations.attempt} is unreadable (${problem}), so the host creates no instance for this claim: ` +
      'restore the annotation, or delete the claim, which also deletes its instances',
  }),
  'node-deleted': kind<{ node: string }>({
    step: 'node',
    text: ({ node }) => `node ${node} was deleted, so the host deletes the claim`,
  }),
  'instance-vanished': kind<{ providerID: string }>({
    step: 'vanished',
    text: ({ providerID }) => `instance ${providerID} is gone; this deployment did not delete it`,
  }),
  'set-aside': kind<{ workflow: string; id: string; error?: string }>({
    step: 'set aside',
    text: ({ workflow, id, error = 'a step repeatedly crashed the host' }) =>
      `${workflow} was set aside: ${error}; the host retries it automatically later; to retry now: POST /v1/workflows/${id}/retry`,
  }),
};
