import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { mostLetters } from '../../../../shared/explain/dead-letters.ts';
import { lettersWith } from '../../../../shared/explain/event-outcome.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject, pageQuery } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { deadLetterSchema, shownDeadLetter } from './dead-letter-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/dead-letters',
  access: 'read',
  operationId: 'listDeadLetters',
  summary: 'Messages that could not be processed, with the reason',
  description: 'Oldest first.',
  request: {
    query: closedObject({
      ...pageQuery,
      event: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .openapi({
          description: `Only the letter with this id, or those whose event has it. Searches the ${mostLetters} oldest letters.`,
        }),
    }),
  },
  responses: {
    200: {
      description: 'A page. Continue with `after` while there is a `next`.',
      content: jsonAnswer(() =>
        z.object({
          items: z.array(deadLetterSchema()),
          next: z.string().optional(),
          cut: z.literal(true).optional().openapi({
            description: 'With `event`: not every letter was searched, so there may be more.',
          }),
        }),
      ),
    },
    ...problems(400, 401, 403),
  },
});

export function addDeadLetters(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { after, limit, event } = c.req.valid('query');
    if (event !== undefined) {
      const bounds = { most: limit, within: mostLetters, signal: c.req.raw.signal };
      const { letters, cut } = await lettersWith((page) => services.events.deadLetters(page), event, bounds);
      return c.json({ items: letters.map(shownDeadLetter), ...(cut ? { cut } : {}) }, 200);
    }
    try {
      const page = await services.events.deadLetters({ limit, ...defined({ after }) });
      const items = page.items.map(shownDeadLetter);
      return c.json({ items, ...defined({ next: page.next }) }, 200);
    } catch (error) {
      // Only the queue knows how its own places look.
      if (!(error instanceof RangeError)) throw error;
      return problem(c, 400, 'invalid-request', 'In the query: after must be the next of an earlier page.');
    }
  });
}
