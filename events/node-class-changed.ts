import * as z from 'zod/mini';
import { observer } from './claim-changed.ts';
import { clusterName, defineEvent, objectName, objectUid, text } from './envelope.ts';

/** A node class was created or changed, or is being deleted: what it resolves to, and who waits for it, may change. */
export const nodeClassChanged = defineEvent({
  type: 'dev.poolwright.node-class.changed.v1',
  title: 'Node class changed',
  description: 'A node class was created, changed, or is being deleted: look at it now.',
  data: () =>
    z.looseObject({
      cluster: clusterName(),
      group: text(253),
      kind: text(63),
      name: objectName(),
      uid: objectUid(),
      generation: z.optional(z.int().check(z.nonnegative())),
      deleting: z.boolean(),
      observedBy: observer,
    }),
  example: {
    subject: 'production/default',
    data: {
      cluster: 'production',
      group: 'poolwright.dev',
      kind: 'SimNodeClass',
      name: 'default',
      uid: '0b8f4f6e-2a57-4f0f-8f2e-64a1f5a0c9d7',
      generation: 1,
      deleting: false,
      observedBy: 'bridge',
    },
  },
});
