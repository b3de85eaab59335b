import { asSentence } from '../../../../shared/base/text.ts';
import type { ObjectHost } from '../../../../shared/explain/objects/facts.ts';
import type { StoredPool } from '../../../../shared/nodes/disruption/types.ts';
import { lastPoolFailure } from '../../../../shared/nodes/pools/failures.ts';
import { type Tries, triesKey } from '../../../../shared/nodes/pools/tries.ts';
import type { ClusterServices } from '../../../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { clusterUnreadable } from '../../kit/unreadable-cluster.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { claimParams } from '../claims/claim-params.ts';
import { pausesOf } from '../claims/claim-standing.ts';
import { objectExplanationSchema } from './object-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/pools/{cluster}/{name}/explain',
  access: 'read',
  operationId: 'explainPool',
  summary: 'The state of a NodePool, what is wrong with it, and how to fix it',
  description: "Reads the pool, its claims, its Events and the host's own records, such as why its last claim failed.",
  request: { params: claimParams },
  responses: {
    200: { description: 'The explanation.', content: jsonAnswer(() => objectExplanationSchema()) },
    ...problems(400, 401, 403, 404, 503),
  },
});

export function addExplainPool(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster: clusterName, name } = c.req.valid('param');
    const cluster = services.cluster(clusterName);
    if (!cluster) {
      const detail = asSentence(unknownName('cluster', clusterName, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    // Loaded when somebody asks, as for claims.
    const { readPool } = await import('../../../../shared/explain/objects/cluster-objects.ts');
    const { explainPoolView } = await import('../../../../shared/explain/objects/explain-object.ts');
    const read = await readPool(cluster.api, name, c.req.raw.signal);
    if (!read.ok && read.error.kind === 'not-found') {
      return problem(c, 404, 'unknown-pool', `Cluster ${clusterName} has no NodePool ${name}.`);
    }
    if (!read.ok) return clusterUnreadable(c, clusterName, read.error);
    const host = await hostFacts(services, cluster, read.value.pool);
    return c.json(explainPoolView(read.value, { cluster: clusterName, now: services.clock.now(), host }), 200);
  });
}

async function hostFacts(
  services: FunctionServices,
  cluster: ClusterServices,
  { metadata, spec }: StoredPool,
): Promise<ObjectHost> {
  const { metadata: template = {}, spec: wished } = spec.template;
  const { labels = {}, annotations = {} } = template;
  const [standing, pauses, failure, tries] = await Promise.all([
    services.ownership.standing(cluster.name),
    pausesOf(services, cluster),
    lastPoolFailure(services, cluster.name, metadata.uid),
    services.state.get<Tries>(triesKey(cluster.name, metadata.uid)),
  ]);
  const serving = cluster.serving({ nodeClassRef: wished.nodeClassRef, labels, annotations });
  const next = tries?.value.notBefore;
  return {
    ours: serving.length > 0,
    standing,
    pauses: pauses.filter(({ kind, name }) => kind === 'cluster' || serving.some((one) => one.provider.name === name)),
    failure,
    ...(next !== undefined && next > services.clock.now() ? { nextTryAt: next } : {}),
  };
}
