import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import type { DeadLetterFilter } from '../../../../shared/queue/contract.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const filterSchema = closedObject({
  cluster: z.string().min(1).max(253).optional(),
  reason: z.string().min(1).max(1000).optional().openapi({ description: 'A part of the reason.' }),
  olderThanSeconds: z.number().min(0).max(1e10).optional().openapi({ description: 'Dead for longer than this.' }),
});

const bodySchema = closedObject({
  ids: z.array(z.string().min(1).max(256)).min(1).max(1000).optional(),
  filter: filterSchema.optional().openapi({ description: 'All that match every given field; at least one.' }),
  all: z.literal(true).optional(),
});

const route = apiRoute({
  method: 'post',
  path: '/v1/dead-letters/drop',
  access: 'drop',
  operationId: 'dropDeadLetters',
  summary: 'Delete dead letters permanently',
  description:
    'Deletes the given ids, those that match the filter, or all: exactly one of the three. Ids that no longer exist are skipped.',
  middleware: jsonBody({ maxBytes: 512 * 1024, schema: bodySchema }),
  request: {
    body: { required: true, content: { 'application/json': { schema: documented(() => bodySchema) } } },
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
    const body = c.get('json');
    const { ids = [], filter } = body;
    if (Object.keys(body).length !== 1 || (filter && Object.keys(filter).length === 0)) {
      const detail = 'In the body: give exactly one of ids, filter (with at least one field) and all.';
      return problem(c, 400, 'invalid-request', detail);
    }
    if (body.ids === undefined) {
      const dropped = await services.events.dropDeadLetters(filterOf(filter ?? {}, services.clock.now()));
      if (dropped > 0) services.log.write('event.dropped', { filter: filter ?? 'all', dropped });
      return c.json({ dropped }, 200);
    }
    const dropped = await services.events.dropDeadLetters(ids);
    // There is no way back, so the log should know; a line of it shows so many and no more.
    for (let first = 0; dropped > 0 && first < ids.length; first += idsPerLine) {
      services.log.write('event.dropped', { ids: ids.slice(first, first + idsPerLine), dropped });
    }
    return c.json({ dropped }, 200);
  });
}

const filterOf = ({ cluster, reason, olderThanSeconds }: z.infer<typeof filterSchema>, now: number): DeadLetterFilter =>
  defined({
    group: cluster,
    reason,
    deadBefore: olderThanSeconds === undefined ? undefined : now - olderThanSeconds * 1000,
  });
