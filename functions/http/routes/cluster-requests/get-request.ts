import { z } from '@hono/zod-openapi';
import { redactSecrets } from '../../../../shared/base/secrets/known-secrets.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { requestAnswerSchema, shownRequest } from './request-schemas.ts';
import { askedPlace, otherTeam, refuseStore, requestParams } from './request-target.ts';
import { Watches } from './watch.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}',
  access: 'read',
  operationId: 'getClusterRequest',
  summary: 'One request for a cluster, with its stages; with watch, when it changes',
  description:
    'watch=poll answers when the request differs from resourceVersion, or after 25 seconds as it is then. watch=stream answers with server-sent events where the host can stream (the local host); elsewhere it answers like poll. The content type of the answer says which of the two it is.',
  request: {
    params: requestParams,
    query: closedObject({
      watch: z.enum(['poll', 'stream']).optional(),
      resourceVersion: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .openapi({ description: 'What the caller has seen. Without it, a watch answers at once.' }),
    }),
  },
  responses: {
    200: {
      description: 'The request as it is now; or a stream of events `request`, and `gone` as the last one.',
      content: {
        ...jsonAnswer(() => requestAnswerSchema()),
        'text/event-stream': { schema: z.string() },
      },
    },
    ...problems(400, 401, 403, 404, 429, 503),
  },
});

export function addGetClusterRequest(app: HttpApp, { services, timers, canStream = false }: HttpOptions): void {
  const watches = new Watches(timers);
  app.openapi(route, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const { watch, resourceVersion } = c.req.valid('query');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { store } = asked.place;
    const { signal } = c.req.raw;
    const shown = `${namespace}/${name}`;
    if (watch === undefined) {
      const found = await store.get({ namespace, name }, signal);
      if (!found.ok) return refuseStore(c, asked, shown, found.error) as never;
      return c.json(shownRequest(cluster, found.value), 200);
    }
    const leave = watches.enter();
    if (leave === undefined) {
      return problem(c, 429, 'too-many-watches', 'This host has as many watches as it may have. Try again later.');
    }
    // A client that connects again says what it saw last.
    const seen = resourceVersion ?? (c.req.header('last-event-id') || undefined);
    if (watch === 'poll' || !canStream) {
      try {
        const found = await watches.poll(store, { namespace, name }, seen, signal);
        if (!found.ok) return refuseStore(c, asked, shown, found.error) as never;
        return c.json(shownRequest(cluster, found.value), 200);
      } finally {
        leave();
      }
    }
    const first = await store.get({ namespace, name }, signal);
    if (!first.ok) {
      leave();
      return refuseStore(c, asked, shown, first.error) as never;
    }
    const body = watches.stream(
      store,
      { namespace, name },
      seen,
      (request) => redactSecrets(JSON.stringify(shownRequest(cluster, request))),
      { signal, closed: leave },
    );
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
    return new Response(body, { status: 200, headers }) as never;
  });
}
