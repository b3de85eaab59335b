/** How a decision looks from outside. */
import { z } from '@hono/zod-openapi';
import { late } from '../../kit/late-schema.ts';

export const decisionSchema = late(() =>
  z
    .object({
      at: z.string().openapi({ format: 'date-time' }),
      step: z.string(),
      code: z.string().optional().openapi({
        description: 'The kind of decision. Codes are stable; entries of older versions have none.',
        example: 'offering-chosen',
      }),
      fields: z.record(z.string(), z.unknown()).optional().openapi({ description: 'The values used in the text.' }),
      text: z.string(),
      detail: z.unknown().optional(),
    })
    .openapi('Decision'),
);
