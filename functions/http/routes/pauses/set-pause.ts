import { z } from '@hono/zod-openapi';
import { pause } from '../../../../shared/nodes/pauses/pauses.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { pauseParams, unknownTarget } from './pause-target.ts';

const bodySchema = closedObject({ why: z.string().max(200).optional() });

const route = apiRoute({
  method: 'put',
  path: '/v1/pauses/{kind}/{name}',
  access: 'pause',
  operationId: 'pause',
  summary: 'Pause a cluster or a provider',
  description: 'No new instances are created until the pause is lifted. Deletions continue.',
  middleware: jsonBody({ maxBytes: 4096, schema: bodySchema, optional: true }),
  request: {
    params: pauseParams,
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: {
      description: 'Paused.',
      content: jsonAnswer(() => z.object({ kind: z.string(), name: z.string(), paused: z.literal(true) })),
    },
    ...problems(400, 401, 403, 404, 413, 415),
  },
});

export function addSetPause(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const target = c.req.valid('param');
    const unknown = unknownTarget(services, target);
    if (unknown) return problem(c, 404, `unknown-${target.kind}`, unknown);
    await pause(services, target, c.get('json').why ?? '');
    return c.json({ ...target, paused: true as const }, 200);
  });
}
