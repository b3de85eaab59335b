import * as z from 'zod/mini';
import { clusterName, defineEvent, objectName, objectUid, text } from './envelope.ts';

/**
 * A Node joined, turned ready or unready, or is being deleted. The launch that waits for this provider id looks again
 * at once instead of at its next timer.
 */
export const nodeChanged = defineEvent({
  type: 'dev.poolwright.node.changed.v1',
  title: 'Node changed',
  description: 'A Node joined, turned ready or unready, or is being deleted.',
  data: () =>
    z.looseObject({
      cluster: clusterName(),
      name: objectName(),
      uid: objectUid(),
      /** Absent until the cloud controller manager or the kubelet has set it. */
      providerID: z.optional(text(1024)),
      ready: z.boolean(),
      deleting: z.boolean(),
    }),
  example: {
    subject: 'production/gpu-7xk2p',
    data: {
      cluster: 'production',
      name: 'gpu-7xk2p',
      uid: '1f0c7a52-1f64-4c1e-8d7e-5d9d6b7a8c90',
      providerID: 'sim:///zone-a/i-000042',
      ready: true,
      deleting: false,
    },
  },
});
