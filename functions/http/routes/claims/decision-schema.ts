/** How a decision looks from outside. */
import { z } from '@hono/zod-openapi';

export const decisionSchema = z
  .object({
    at: z.string().openapi({ format: 'date-time' }),
    step: z.string(),
    code: z.string().optional().openapi({
      description: 'Which decision it is. Codes stay; entries of an older version have none.',
      example: 'offering-chosen',
    }),
    fields: z.record(z.string(), z.unknown()).optional().openapi({ description: 'What the text is made of.' }),
    text: z.string(),
    detail: z.unknown().optional(),
  })
  .openapi('Decision');
