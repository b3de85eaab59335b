/** GET /v1/claims/{cluster}/{name}/explain: what is the matter with a claim, why, and what would help. */
import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { answeredSpan, answerOf } from '../../../../shared/explain/answer.ts';
import { explain } from '../../../../shared/explain/explain.ts';
import { traceSpans } from '../../../../shared/explain/spans.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { shownWorkflow } from '../workflows/workflow-schemas.ts';
import { gatherFacts } from './claim-facts.ts';
import { claimParams, claimUid } from './claim-params.ts';
import { explanationSchema } from './explanation-schema.ts';

const route = createRoute({
  method: 'get',
  path: '/v1/claims/{cluster}/{name}/explain',
  summary: 'What is wrong with a claim, why, and how to fix it',
  description: "Reads the claim, its node, its Events and the host's own records. For a deleted claim, pass its uid.",
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
    const gathered = await gatherFacts(asked);
    if (!gathered.ok) {
      const { message, retryAfterSeconds } = gathered.error;
      const headers: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
      return problem(c, 503, 'cluster-unavailable', `Cluster ${clusterName} can't be read: ${message}`, {}, headers);
    }
    const found = gathered.value;
    if (!found) {
      const detail = `Cluster ${clusterName} has no NodeClaim ${name}. If it was deleted, pass its uid: ?uid=….`;
      return problem(c, 404, 'unknown-claim', detail);
    }
    const { known } = found;
    const explained = explain(known);
    const { missing } = found;
    const workflowsShown = found.workflows.map(shownWorkflow);
    const answer = answerOf({ name, uid: found.uid }, known, explained, { workflows: workflowsShown, missing });
    const spans = isTraced ? { spans: traceSpans(explained, found.traced, known.now).map(answeredSpan) } : {};
    return c.json({ ...answer, workflows: workflowsShown, ...spans }, 200);
  });
}
