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
    text: ({ message }) => `the API server refuses what is to be written to this claim: ${message}`,
  }),
  'record-unreadable': kind<{ problem: string }>({
    step: 'record',
    text: ({ problem }) =>
      `the annotation ${annotations.attempt} can't be read (${problem}), so nothing is bought for this claim: ` +
      'restore the annotation, or delete the claim, which also deletes its instances',
  }),
  'node-deleted': kind<{ node: string }>({
    step: 'node',
    text: ({ node }) => `node ${node} was deleted, so the claim is too`,
  }),
  'instance-vanished': kind<{ providerID: string }>({
    step: 'vanished',
    text: ({ providerID }) => `instance ${providerID} is gone, and nobody here deleted it`,
  }),
  'set-aside': kind<{ workflow: string; id: string; error?: string }>({
    step: 'set aside',
    text: ({ workflow, id, error = 'a step kept killing the host' }) =>
      `${workflow} was set aside: ${error}; it is tried again by itself after a while, or now by POST /v1/workflows/${id}/retry`,
  }),
};
