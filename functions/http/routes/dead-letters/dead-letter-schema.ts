/** How a dead letter looks from outside. */
import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
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
      cluster: z.string().optional().openapi({ description: 'Whose event it is, if its sender said so.' }),
      receiveCount: z.number().int(),
      enqueuedAt: time,
      deadAt: time,
    })
    .openapi('DeadLetter'),
);

export const shownDeadLetter = ({
  enqueuedAt,
  deadAt,
  group,
  ...rest
}: DeadLetter): z.infer<ReturnType<typeof deadLetterSchema>> => ({
  ...rest,
  ...defined({ cluster: group }),
  enqueuedAt: isoTime(enqueuedAt),
  deadAt: isoTime(deadAt),
});
