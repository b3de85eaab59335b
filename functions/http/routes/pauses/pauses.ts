import { z } from '@hono/zod-openapi';
import { listPauses } from '../../../../shared/nodes/pauses/pauses.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';

const pauseSchema = late(() =>
  z
    .object({
      kind: z.enum(['cluster', 'provider']),
      name: z.string(),
      setBy: z.enum(['configuration', 'request']),
      cluster: z
        .string()
        .optional()
        .openapi({ description: 'The cluster in which a provider is paused, if not in all.' }),
      why: z.string().optional(),
      at: z.string().optional().openapi({ format: 'date-time' }),
    })
    .openapi('Pause'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/pauses',
  access: 'read',
  operationId: 'listPauses',
  summary: 'Clusters and providers that are paused',
  responses: {
    200: {
      description: 'Includes pauses set in the configuration; to lift those, change the configuration.',
      content: jsonAnswer(() => z.object({ items: z.array(pauseSchema()) })),
    },
    ...problems(401, 403),
  },
});

export function addPauses(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const configured = services.clusters.flatMap(({ name, paused, pausedProviders }) => [
      ...(paused ? [{ kind: 'cluster' as const, name, setBy: 'configuration' as const }] : []),
      ...[...pausedProviders].map((provider) => ({
        kind: 'provider' as const,
        name: provider,
        setBy: 'configuration' as const,
        cluster: name,
      })),
    ]);
    const requested = (await listPauses(services)).map(({ kind, name, why, at }) => ({
      kind,
      name,
      setBy: 'request' as const,
      ...(why === '' ? {} : { why }),
      at: isoTime(at),
    }));
    return c.json({ items: [...configured, ...requested] }, 200);
  });
}
