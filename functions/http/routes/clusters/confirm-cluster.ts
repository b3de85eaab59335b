/** An operator says that a cluster is who it says, although the host knows another one by its name. */
import { z } from '@hono/zod-openapi';
import { asSentence } from '../../../../shared/base/text.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const route = apiRoute({
  method: 'post',
  path: '/v1/clusters/{name}/confirm',
  access: 'confirm',
  operationId: 'confirmCluster',
  summary: 'Confirm the identity that a cluster reports now',
  request: { params: z.object({ name: z.string().min(1).max(253) }) },
  responses: {
    200: {
      description: 'The host serves the cluster under this uid. Another cluster with the same uid is no longer served.',
      content: jsonAnswer(() => z.object({ name: z.string(), uid: z.string() })),
    },
    ...problems(401, 403, 404, 503),
  },
});

export function addConfirmCluster(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const cluster = services.cluster(name);
    if (!cluster) {
      return problem(c, 404, 'unknown-cluster', asSentence(unknownName('cluster', name, clusterNames(services))));
    }
    const confirmed = await (cluster.confirmIdentity ?? cluster.identity)();
    if (!confirmed.ok) return problem(c, 503, 'cluster-unavailable', confirmed.error.message);
    return c.json({ name, uid: confirmed.value }, 200);
  });
}
