import { z } from '@hono/zod-openapi';
import { guardWords } from '../../../../shared/clusters/operations/guard.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { askedPlace, otherTeam, refuseStore, requestParams } from './request-target.ts';

const route = apiRoute({
  method: 'delete',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}',
  access: 'delete-cluster',
  operationId: 'deleteClusterRequest',
  summary: 'Delete a request, and with it the cluster',
  description:
    'A request with a delete guard is deleted only with `guard`: `keep` leaves the cluster and everything in Azure as it is, `lift` removes the guard and deletes both. Without it the answer is 409. `keep` also protects the cluster of a request without a guard.',
  request: { params: requestParams, query: closedObject({ guard: z.enum(guardWords).optional() }) },
  responses: {
    202: {
      description: 'The deletion has begun, or the request is gone.',
      content: jsonAnswer(() =>
        z.object({
          cluster: z.string(),
          namespace: z.string(),
          name: z.string(),
          gone: z.boolean().openapi({ description: 'True: nothing was made for the request.' }),
          keepsCluster: z.boolean(),
        }),
      ),
    },
    ...problems(400, 401, 403, 404, 409, 503),
  },
});

export function addDeleteClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const { guard } = c.req.valid('query');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { deleteRequest } = await import('../../../../shared/clusters/operations/delete.ts');
    const { requests, place } = asked;
    const shown = `${namespace}/${name}`;
    const done = await deleteRequest(place, { namespace, name }, guard, c.req.raw.signal);
    switch (done.outcome) {
      case 'guarded':
        return problem(
          c,
          409,
          'delete-guarded',
          `The request ${shown} has a delete guard. To delete the request and keep the cluster, send ?guard=keep; to delete both, send ?guard=lift.`,
        );
      case 'failed':
        return done.failure.kind === 'conflict'
          ? problem(
              c,
              409,
              'operation-in-progress',
              `The request ${shown} is being changed at the same time. Try again.`,
            )
          : (refuseStore(c, asked, shown, done.failure) as never);
      default: {
        if (done.outcome === 'deleting') {
          const { startWork } = await import('../../../../shared/clusters/operations/start.ts');
          await startWork(requests, place, done.request);
        }
        const gone = done.outcome === 'gone';
        return c.json({ cluster, namespace, name, gone, keepsCluster: done.keeps }, 202);
      }
    }
  });
}
