import { z } from '@hono/zod-openapi';
import { apiRoute } from '../../kit/api-route.ts';
import { identifyWith } from '../../kit/authorization.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import type { HttpApp, HttpOptions, Readiness } from '../../options.ts';

const content = jsonAnswer(() =>
  z.object({
    ready: z.boolean(),
    checks: z
      .record(z.string(), z.object({ ok: z.boolean(), message: z.string().optional() }))
      .optional()
      .openapi({ description: 'Only with a token that has a role.' }),
  }),
);

const route = apiRoute({
  method: 'get',
  path: '/readyz',
  access: 'open',
  operationId: 'getReadiness',
  summary: 'Whether the host is ready',
  responses: { 200: { description: 'Ready.', content }, 503: { description: 'Not ready.', content } },
});

export function addReadiness(app: HttpApp, options: HttpOptions): void {
  const { ready, services } = options;
  app.openapi(route, async (c) => {
    let readiness: Readiness;
    try {
      readiness = await ready();
    } catch (error) {
      services.log.write('http.failed', { method: 'GET', path: '/readyz', error });
      readiness = { ready: false, checks: {} };
    }
    const caller = identifyWith(c, options);
    const isTrusted = typeof caller === 'object' && caller.kind === 'member';
    const body = { ready: readiness.ready, ...(isTrusted ? { checks: readiness.checks } : {}) };
    return c.json(body, readiness.ready ? 200 : 503);
  });
}
