/** GET /v1/claims/{cluster}/{name}/explain: what is the matter with a claim, why, and what would help. */
import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { clusterUnreadable } from '../../kit/unreadable-cluster.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { claimParams, claimUid, unknownClaim } from './claim-params.ts';
import { explanationSchema } from './explanation-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/claims/{cluster}/{name}/explain',
  access: 'read',
  operationId: 'explainClaim',
  summary: 'What is wrong with a claim, why, and how to fix it',
  description:
    "Reads the claim, its node, its Events and the host's own records. A deleted claim is explained from its decisions, which are kept for a while; of several with the same name it is the last one, unless a uid is passed.",
  request: {
    params: claimParams,
    query: closedObject({
      uid: claimUid,
      trace: z.enum(['true', 'false']).optional().openapi({ description: 'Adds `spans`: how long each part took.' }),
    }),
  },
  responses: {
    200: { description: 'The explanation.', content: jsonAnswer(() => explanationSchema()) },
    ...problems(400, 401, 403, 404, 503),
  },
});

export function addExplain(app: HttpApp, { services, workflows, timers }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster: clusterName, name } = c.req.valid('param');
    const { uid, trace } = c.req.valid('query');
    const cluster = services.cluster(clusterName);
    if (!cluster) {
      const detail = asSentence(unknownName('cluster', clusterName, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    const isTraced = trace === 'true';
    const { signal } = c.req.raw;
    const asked = { services, cluster, workflows, name, uid, isTraced, signal, ...defined({ timers }) };
    // Loaded when somebody asks: it is nearly a tenth of the code of the HTTP function.
    const { explainClaim } = await import('./explain-claim.ts');
    const explained = await explainClaim(asked);
    if (!explained.ok) {
      return clusterUnreadable(c, clusterName, explained.error);
    }
    if (!explained.value) {
      return problem(c, 404, 'unknown-claim', unknownClaim(clusterName, name));
    }
    return c.json(explained.value, 200);
  });
}
