/** How a dead letter looks from outside. */
import { z } from '@hono/zod-openapi';
import type { DeadLetter } from '../../../../shared/queue/contract.ts';
import { late } from '../../kit/late-schema.ts';
import { isoTime } from '../../options.ts';

const time = z.string().openapi({ format: 'date-time' });

export const deadLetterSchema = late(() =>
  z
    .object({
      id: z.string(),
      reason: z.string(),
      body: z.string(),
      receiveCount: z.number().int(),
      enqueuedAt: time,
      deadAt: time,
    })
    .openapi('DeadLetter'),
);

export const shownDeadLetter = ({
  enqueuedAt,
  deadAt,
  ...rest
}: DeadLetter): z.infer<ReturnType<typeof deadLetterSchema>> => ({
  ...rest,
  enqueuedAt: isoTime(enqueuedAt),
  deadAt: isoTime(deadAt),
});
