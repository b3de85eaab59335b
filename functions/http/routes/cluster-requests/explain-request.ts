import { z } from '@hono/zod-openapi';
import { asides } from '../../../../shared/clusters/explain/aside.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { askedPlace, otherTeam, refuseStore, requestParams } from './request-target.ts';

const answerSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      namespace: z.string(),
      name: z.string(),
      uid: z.string(),
      diagnosis: z.object({
        code: z.string().optional(),
        well: z.literal(true).optional(),
        aside: z.enum(asides).optional(),
        cause: z.string(),
        fix: z.string(),
        field: z.string().optional(),
        stage: z.string().optional(),
        since: z.string().optional(),
      }),
      lines: z.array(z.string()).openapi({ description: 'State, cause and fix, as the command shows them.' }),
      stages: z.array(z.looseObject({ name: z.string(), state: z.string() })),
      conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })),
      warnings: z.array(z.string()),
    })
    .openapi('ClusterRequestExplanation'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}/explain',
  access: 'read',
  operationId: 'explainClusterRequest',
  summary: 'What is wrong with a request for a cluster, why, and how to fix it',
  request: { params: requestParams },
  responses: {
    200: { description: 'One cause and one fix.', content: jsonAnswer(() => answerSchema()) },
    ...problems(401, 403, 404, 503),
  },
});

export function addExplainClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { place, requests } = asked;
    const found = await place.store.get({ namespace, name }, c.req.raw.signal);
    if (!found.ok) return refuseStore(c, asked, `${namespace}/${name}`, found.error) as never;
    const standing = place.api === undefined ? undefined : await requests.ownership.standing(place.name);
    const { explainRequest } = await import('../../../../shared/clusters/operations/explain.ts');
    const notServed = standing === undefined || standing.acts ? undefined : standing.why;
    const answer = explainRequest(place, found.value, requests.clock.now(), notServed);
    return c.json(answer as unknown as z.infer<ReturnType<typeof answerSchema>>, 200);
  });
}
