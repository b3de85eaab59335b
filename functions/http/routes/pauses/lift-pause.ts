import { z } from '@hono/zod-openapi';
import { resume } from '../../../../shared/nodes/pauses/pauses.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { pausedInConfiguration, pauseParams, unknownTarget } from './pause-target.ts';

const route = apiRoute({
  method: 'delete',
  path: '/v1/pauses/{kind}/{name}',
  access: 'resume',
  operationId: 'resume',
  summary: 'Lift a pause that was set by a request',
  description: 'Claims and pools that waited for it continue at once.',
  request: { params: pauseParams },
  responses: {
    200: {
      description: 'Whether there was a pause, and what still pauses the target.',
      content: jsonAnswer(() =>
        z.object({
          kind: z.string(),
          name: z.string(),
          lifted: z.boolean(),
          stillPaused: z.string().optional(),
        }),
      ),
    },
    ...problems(400, 401, 403, 404),
  },
});

export function addLiftPause(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const target = c.req.valid('param');
    // First the deed: a target that has left the configuration must not keep its pause for the day it comes back.
    const lifted = await resume(services, target);
    const unknown = unknownTarget(services, target);
    if (!lifted && unknown) return problem(c, 404, `unknown-${target.kind}`, unknown);
    const stillPaused = pausedInConfiguration(services, target);
    if (lifted && !stillPaused) {
      const clusters = services.clusters.filter(({ name, providers }) =>
        target.kind === 'cluster' ? name === target.name : providers.some((provider) => provider.name === target.name),
      );
      const { wakeWaiting } = await import('../../../reconcilers/wake-waiting.ts');
      // The pause is lifted in any case; what was not woken continues at its next retry.
      await wakeWaiting(services, clusters, c.req.raw.signal).catch((error: unknown) =>
        services.log.write('http.failed', { method: 'DELETE', path: route.path, instance: services.ids.next(), error }),
      );
    }
    return c.json({ ...target, lifted, ...(stillPaused ? { stillPaused } : {}) }, 200);
  });
}
