import { createRoute, z } from '@hono/zod-openapi';
import { jsonAnswer } from '../../kit/late-schema.ts';
import type { HttpApp } from '../../options.ts';

const route = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process is alive',
  description: 'It calls no cluster and no cloud, so a slow one never causes a restart of the host.',
  security: [],
  responses: {
    200: {
      description: 'Alive.',
      content: jsonAnswer(() => z.object({ status: z.literal('ok'), version: z.string() })),
    },
  },
});

export function addHealth(app: HttpApp, { version }: { version: string }): void {
  app.openapi(route, (c) => c.json({ status: 'ok' as const, version }, 200));
}
