import * as z from 'zod/mini';
import { clusterName, defineEvent, objectName, objectUid, text } from './envelope.ts';

/**
 * Who noticed: the host's own watch, the bridge (a watch in a process of its own), the admission webhook, or the timer that lists
 * everything. `watch` is newer than the rest: only a host says it, to itself, so no older reader meets it.
 */
export const observer = z.enum(['watch', 'bridge', 'webhook', 'resync']);

/** The claim that an event is about. */
export const claimReference = {
  cluster: clusterName(),
  name: objectName(),
  uid: objectUid(),
  /** As the observer saw it. The webhook sees a claim before it is stored and has none. */
  resourceVersion: z.optional(text(128)),
  generation: z.optional(z.int().check(z.nonnegative())),
  observedBy: observer,
};

/**
 * A NodeClaim was created, changed, or is being deleted. It is a hint, "look at this claim now", and may come late,
 * twice, or never: whoever gets it reads the claim and acts on what stands there.
 */
export const claimChanged = defineEvent({
  type: 'dev.poolwright.claim.changed.v1',
  title: 'Claim changed',
  description: 'A NodeClaim was created, changed, or is being deleted: look at it now.',
  data: () =>
    z.looseObject({
      ...claimReference,
      /** The observer saw a deletionTimestamp, or the admission of a DELETE. */
      deleting: z.boolean(),
    }),
  example: {
    subject: 'production/gpu-7xk2p',
    data: {
      cluster: 'production',
      name: 'gpu-7xk2p',
      uid: '8f6f1d0e-6f3b-4f55-9d0a-0a4c3c1d2e3f',
      deleting: false,
      resourceVersion: '48213',
      generation: 1,
      observedBy: 'bridge',
    },
  },
});
