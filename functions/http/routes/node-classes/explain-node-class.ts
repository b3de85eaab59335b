import { z } from '@hono/zod-openapi';
import { asSentence } from '../../../../shared/base/text.ts';
import { kindsNamed } from '../../../../shared/providers/kinds-named.ts';
import { kindsOf } from '../../../../shared/providers/serving.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { clusterUnreadable } from '../../kit/unreadable-cluster.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { claimParams } from '../claims/claim-params.ts';
import { pausesOf } from '../claims/claim-standing.ts';
import { objectExplanationSchema } from '../pools/object-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/node-classes/{cluster}/{name}/explain',
  access: 'read',
  operationId: 'explainNodeClass',
  summary: 'The state of a node class, what is wrong with it, and how to fix it',
  description: 'Without `kind`, all kinds of node class that the providers of the cluster use are searched.',
  request: {
    params: claimParams,
    query: closedObject({
      kind: z.string().min(1).max(253).optional().openapi({ description: 'The kind, or its plural.' }),
    }),
  },
  responses: {
    200: { description: 'The explanation.', content: jsonAnswer(() => objectExplanationSchema()) },
    ...problems(400, 401, 403, 404, 409, 503),
  },
});

export function addExplainNodeClass(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster: clusterName, name } = c.req.valid('param');
    const { kind } = c.req.valid('query');
    const cluster = services.cluster(clusterName);
    if (!cluster) {
      const detail = asSentence(unknownName('cluster', clusterName, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    const { readNodeClasses } = await import('../../../../shared/explain/objects/cluster-objects.ts');
    const { explainNodeClassView } = await import('../../../../shared/explain/objects/explain-object.ts');
    const kinds = kindsNamed(kindsOf(cluster.providers), kind);
    const read = await readNodeClasses(cluster.api, kinds, name, c.req.raw.signal);
    if (!read.ok) return clusterUnreadable(c, clusterName, read.error);
    const [view, ...others] = read.value;
    if (view === undefined) {
      const what = kind === undefined ? 'node class' : `node class of the kind ${JSON.stringify(kind)} called`;
      return problem(
        c,
        404,
        'unknown-node-class',
        `Cluster ${clusterName} has no ${what} ${name} that a provider uses.`,
      );
    }
    if (others.length > 0) {
      const found = read.value.map((one) => one.kind.kind).join(', ');
      const detail = `Cluster ${clusterName} has several node classes ${name}, of the kinds ${found}. Pass one of them as kind.`;
      return problem(c, 409, 'ambiguous-node-class', detail);
    }
    const host = {
      ours: true,
      standing: await services.ownership.standing(clusterName),
      pauses: await pausesOf(services, cluster),
    };
    return c.json(explainNodeClassView(view, { cluster: clusterName, now: services.clock.now(), host }), 200);
  });
}
