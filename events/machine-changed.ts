import * as z from 'zod/mini';
import { observer } from './claim-changed.ts';
import { clusterName, defineEvent, objectName, objectUid } from './envelope.ts';

/**
 * A VirtualMachine or something that belongs to one was created or changed, or is being deleted. A hint like all of them: whoever gets it reads the object and acts on what
 * stands there.
 */
export const machineChanged = defineEvent({
  type: 'dev.poolwright.machine.changed.v1',
  title: 'Virtual machine changed',
  description: 'A VirtualMachine was created, changed, or is being deleted: look at it now.',
  data: () =>
    z.looseObject({
      /** The cluster with the object. */
      cluster: clusterName(),
      /** `VirtualMachine` where it is absent, or `VMSnapshot`. */
      kind: z.optional(z.string().check(z.maxLength(63))),
      namespace: objectName(),
      name: objectName(),
      uid: objectUid(),
      generation: z.optional(z.int().check(z.nonnegative())),
      deleting: z.boolean(),
      observedBy: observer,
    }),
  example: {
    subject: 'management/team-a/web',
    data: {
      cluster: 'management',
      namespace: 'team-a',
      name: 'web',
      uid: '0c6b7a54-2d0e-4d27-8a53-6f4f6a7f9b10',
      generation: 1,
      deleting: false,
      observedBy: 'bridge',
    },
  },
});
