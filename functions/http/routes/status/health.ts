import { z } from '@hono/zod-openapi';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import type { HttpApp } from '../../options.ts';

const route = apiRoute({
  method: 'get',
  path: '/healthz',
  access: 'open',
  operationId: 'getHealth',
  summary: 'Whether the process is alive',
  description: 'It calls no cluster and no cloud, so a slow one never causes a restart of the host.',
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
