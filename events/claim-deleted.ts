import * as z from 'zod/mini';
import { claimReference } from './claim-changed.ts';
import { defineEvent } from './envelope.ts';

/**
 * A NodeClaim is gone from the API server. Nothing can be read of it any more, so whatever still runs for its uid is
 * told to look, and garbage collection finds what was left behind.
 */
export const claimDeleted = defineEvent({
  type: 'dev.poolwright.claim.deleted.v1',
  title: 'Claim deleted',
  description: 'A NodeClaim is gone from the API server.',
  data: () => z.looseObject(claimReference),
  example: {
    subject: 'production/gpu-7xk2p',
    data: {
      cluster: 'production',
      name: 'gpu-7xk2p',
      uid: '8f6f1d0e-6f3b-4f55-9d0a-0a4c3c1d2e3f',
      resourceVersion: '48977',
      generation: 2,
      observedBy: 'bridge',
    },
  },
});
