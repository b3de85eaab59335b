import { createRoute, z } from '@hono/zod-openapi';
import type { HttpApp } from '../../options.ts';

const route = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process is alive',
  description: 'It asks nothing of anybody, so a slow cluster or cloud never gets the host restarted.',
  security: [],
  responses: {
    200: {
      description: 'Alive.',
      content: { 'application/json': { schema: z.object({ status: z.literal('ok'), version: z.string() }) } },
    },
  },
});

export function addHealth(app: HttpApp, { version }: { version: string }): void {
  app.openapi(route, (c) => c.json({ status: 'ok' as const, version }, 200));
}
