import * as z from 'zod/mini';
import { clusterName, defineEvent, text, timestamp } from './envelope.ts';

/** The cloud says that it will take an instance back (spot), or has announced maintenance or a failure of it. */
export const instanceInterrupted = defineEvent({
  type: 'dev.poolwright.instance.interrupted.v1',
  title: 'Instance interrupted',
  description: 'The cloud announces that it takes an instance back or stops it.',
  data: () =>
    z.looseObject({
      cluster: clusterName(),
      provider: text(63).check(z.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)),
      providerID: text(1024),
      /** When it happens, if the cloud says so. */
      at: z.optional(timestamp()),
      /** In the cloud's own words, for conditions and logs. */
      reason: text(1024),
    }),
  example: {
    subject: 'production/sim:///zone-a/i-000042',
    data: {
      cluster: 'production',
      provider: 'sim',
      providerID: 'sim:///zone-a/i-000042',
      at: '2026-01-01T12:02:00Z',
      reason: 'spot capacity is taken back',
    },
  },
});
