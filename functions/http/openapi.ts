import { z } from '@hono/zod-openapi';
import { apiRoute } from './kit/api-route.ts';
import { jsonAnswer } from './kit/late-schema.ts';
import { problems } from './kit/problem.ts';
import type { HttpApp, HttpOptions } from './options.ts';
import { addEventSchemas } from './routes/events/event-schemas.ts';

const route = apiRoute({
  method: 'get',
  path: '/openapi.json',
  access: 'read',
  operationId: 'getOpenApi',
  summary: 'This description',
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      content: jsonAnswer(() => z.looseObject({ openapi: z.string() })),
    },
    ...problems(401, 403),
  },
});

export function addOpenApi(app: HttpApp, { version }: Pick<HttpOptions, 'version'>): void {
  addEventSchemas(app);
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  // Made at the first request: the routes are all there by then, and a host that nobody asks does not pay.
  let document: { openapi: string } | undefined;
  app.openapi(route, (c) => {
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'Poolwright', version, description: 'Accepts events; provides health, metrics and explanations.' },
      // Whatever the address is, it is the one that this document came from.
      servers: [{ url: '/' }],
      security: [{ token: [] }],
    });
    return c.json(document, 200);
  });
}
