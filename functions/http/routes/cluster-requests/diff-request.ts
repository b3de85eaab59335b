import { z } from '@hono/zod-openapi';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { askedPlace, otherTeam, refuseStore, requestParams } from './request-target.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}/diff',
  access: 'read',
  operationId: 'diffClusterRequest',
  summary: 'Where the live cluster differs from its request, field by field',
  description: 'Compared now. A field that Azure does not report is not compared.',
  request: { params: requestParams },
  responses: {
    200: {
      description: 'An empty list: no field differs.',
      content: jsonAnswer(() =>
        z.object({
          differences: z.array(
            z.object({ object: z.string(), field: z.string(), wanted: z.string(), found: z.string() }),
          ),
          notCompared: z.array(z.object({ object: z.string(), why: z.string() })),
        }),
      ),
    },
    ...problems(401, 403, 404, 503),
  },
});

export function addDiffClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { requests, place } = asked;
    const { signal } = c.req.raw;
    const found = await place.store.get({ namespace, name }, signal);
    if (!found.ok) return refuseStore(c, asked, `${namespace}/${name}`, found.error) as never;
    const { diffAt } = await import('../../../../shared/clusters/operations/diff-at.ts');
    const compared = await diffAt(requests, place, found.value, signal);
    if (!compared.ok) return refuseStore(c, asked, `${namespace}/${name}`, compared.error) as never;
    return c.json(compared.value, 200);
  });
}
