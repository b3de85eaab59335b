import { createRoute, z } from '@hono/zod-openapi';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const bodySchema = closedObject({ ids: z.array(z.string().min(1).max(256)).min(1).max(1000) });

const route = createRoute({
  method: 'post',
  path: '/v1/dead-letters/drop',
  summary: 'Delete dead letters permanently',
  description: 'Deletes the given ids only. Ids that no longer exist are skipped.',
  middleware: jsonBody({ maxBytes: 512 * 1024, schema: bodySchema }),
  request: {
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: {
      description: 'How many were deleted.',
      content: jsonAnswer(() => z.object({ dropped: z.number().int() })),
    },
    ...problems(400, 401, 403, 413, 415),
  },
});

const idsPerLine = 50;

export function addDropDeadLetters(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { ids } = c.get('json');
    const dropped = await services.events.dropDeadLetters(ids);
    // There is no way back, so the log should know; a line of it shows so many and no more.
    for (let first = 0; dropped > 0 && first < ids.length; first += idsPerLine) {
      services.log.write('event.dropped', { ids: ids.slice(first, first + idsPerLine), dropped });
    }
    return c.json({ dropped }, 200);
  });
}
