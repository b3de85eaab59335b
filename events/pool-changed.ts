import * as z from 'zod/mini';
import { observer } from './claim-changed.ts';
import { clusterName, defineEvent, objectName, objectUid } from './envelope.ts';

/** A NodePool was created or changed, or is being deleted: how many claims it wants may be another number now. */
export const poolChanged = defineEvent({
  type: 'dev.poolwright.pool.changed.v1',
  title: 'Pool changed',
  description: 'A NodePool was created, changed, or is being deleted: look at it now.',
  data: () =>
    z.looseObject({
      cluster: clusterName(),
      name: objectName(),
      uid: objectUid(),
      generation: z.optional(z.int().check(z.nonnegative())),
      deleting: z.boolean(),
      observedBy: observer,
    }),
  example: {
    subject: 'production/general',
    data: {
      cluster: 'production',
      name: 'general',
      uid: '5d2c8e0a-93a7-4be4-9c4d-7f1a0b6c2d31',
      generation: 3,
      deleting: false,
      observedBy: 'bridge',
    },
  },
});
