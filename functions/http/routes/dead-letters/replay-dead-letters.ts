import { z } from '@hono/zod-openapi';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const bodySchema = closedObject({ ids: z.array(z.string().min(1).max(256)).max(1000).optional() });

const route = apiRoute({
  method: 'post',
  path: '/v1/dead-letters/replay',
  access: 'replay',
  operationId: 'replayDeadLetters',
  summary: 'Put dead letters back on the queue',
  description: 'Replays the given ids, or all. Ids that no longer exist are skipped.',
  middleware: jsonBody({ maxBytes: 512 * 1024, schema: bodySchema, optional: true }),
  request: {
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: {
      description: 'How many were put back.',
      content: jsonAnswer(() => z.object({ replayed: z.number().int() })),
    },
    ...problems(400, 401, 403, 413, 415),
  },
});

export function addReplayDeadLetters(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => c.json({ replayed: await services.events.replay(c.get('json').ids) }, 200));
}
