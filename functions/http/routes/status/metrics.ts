import { z } from '@hono/zod-openapi';
import { prefersOpenMetrics } from '../../../../shared/observe/open-metrics.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const route = apiRoute({
  method: 'get',
  path: '/metrics',
  access: 'read',
  operationId: 'getMetrics',
  summary: 'Metrics for Prometheus',
  responses: {
    200: {
      description: 'Prometheus text format, or OpenMetrics for a client that prefers it.',
      content: { 'text/plain': { schema: z.string() }, 'application/openmetrics-text': { schema: z.string() } },
    },
    ...problems(401, 403),
  },
});

export function addMetrics(app: HttpApp, { services, workflows }: HttpOptions): void {
  const { metrics, events } = services;

  metrics.collectors.add(async () => {
    const { ready, delayed, inFlight, dead, oldestAgeMs } = await events.stats();
    const labels = { queue: events.name };
    metrics.queueDepth.set(labels, ready + delayed + inFlight);
    metrics.queueOldestAge.set(labels, oldestAgeMs / 1000);
    metrics.deadLetters.set(labels, dead);
  });
  metrics.collectors.add(() => {
    const stats = workflows?.stats?.();
    if (!stats) return;
    // A status that nobody has any more is not in the counts: without the reset its last number would stay.
    metrics.workflows.reset();
    for (const [workflow, statuses] of Object.entries(stats.byWorkflow)) {
      for (const [status, count] of Object.entries(statuses)) metrics.workflows.set({ workflow, status }, count);
    }
  });

  app.openapi(route, async (c) => {
    const form = prefersOpenMetrics(c.req.header('accept')) ? 'open-metrics' : 'prometheus';
    const { contentType, text } = await metrics.expose(form);
    return c.body(text, 200, { 'content-type': contentType, vary: 'accept' });
  });
}
