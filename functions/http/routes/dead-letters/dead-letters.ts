import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject, pageQuery } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { deadLetterSchema, shownDeadLetter } from './dead-letter-schema.ts';

const route = createRoute({
  method: 'get',
  path: '/v1/dead-letters',
  summary: 'Messages that could not be used, with the reason',
  description: 'Oldest first.',
  request: { query: closedObject(pageQuery) },
  responses: {
    200: {
      description: 'A page. Go on with `after` while there is a `next`.',
      content: {
        'application/json': {
          schema: z.object({ items: z.array(deadLetterSchema), next: z.string().optional() }),
        },
      },
    },
    ...problems(400, 401, 403),
  },
});

export function addDeadLetters(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { after, limit } = c.req.valid('query');
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
