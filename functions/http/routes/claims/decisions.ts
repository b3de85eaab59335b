import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { nodeClaims } from '../../../../shared/kube/contract.ts';
import type { StoredClaim } from '../../../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../../../shared/nodes/steps/claim-shape.ts';
import { isOurs } from '../../../../shared/nodes/steps/is-ours.ts';
import { rememberedUid } from '../../../../shared/nodes/steps/report/claim-uids.ts';
import { readDecisions } from '../../../../shared/nodes/steps/report/decision-log.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { clusterUnreadable } from '../../kit/unreadable-cluster.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';
import { claimParams, claimUid, unknownClaim } from './claim-params.ts';
import { claimStanding, claimStandingSchema } from './claim-standing.ts';
import { decisionSchema } from './decision-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/claims/{cluster}/{name}/decisions',
  access: 'read',
  operationId: 'listDecisions',
  summary: 'The decisions about a claim, with reasons, and its current state',
  description:
    'Newest last. They are kept for a while after the claim is deleted; the last claim of the name is meant, unless a uid is passed.',
  request: {
    params: claimParams,
    query: closedObject({
      uid: claimUid,
    }),
  },
  responses: {
    200: {
      description: 'The decisions; empty if there are none yet or they have expired.',
      content: jsonAnswer(() =>
        z.object({
          cluster: z.string(),
          name: z.string(),
          uid: z.string(),
          ours: z
            .boolean()
            .optional()
            .describe('False: no provider here serves its node class. Absent when the claim was requested by uid.'),
          decisions: z.array(decisionSchema()),
          ...claimStandingSchema().shape,
        }),
      ),
    },
    ...problems(400, 401, 403, 404, 503),
  },
});

export function addDecisions(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster: clusterName, name } = c.req.valid('param');
    const cluster = services.cluster(clusterName);
    if (!cluster) {
      const detail = asSentence(unknownName('cluster', clusterName, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    let { uid } = c.req.valid('query');
    let ours: boolean | undefined;
    if (uid === undefined) {
      const answer = await cluster.api.get<StoredClaim>(nodeClaims, { name }, c.req.raw.signal);
      if (answer.ok) {
        uid = answer.value.metadata.uid;
        ours = isOurs(services, clusterName, shapeClaim(answer.value));
      } else if (answer.error.kind === 'not-found') {
        uid = await rememberedUid(services.state, { cluster: clusterName, name });
        if (uid === undefined) return problem(c, 404, 'unknown-claim', unknownClaim(clusterName, name));
      } else {
        return clusterUnreadable(c, clusterName, answer.error);
      }
    }
    const ref = { cluster: clusterName, name, uid };
    const list = await readDecisions(services.state, ref);
    const standing = await claimStanding(services, cluster, ref);
    const decisions = list.map(
      ({ at, step, text, code, fields, detail }): z.infer<ReturnType<typeof decisionSchema>> => ({
        at: isoTime(at),
        step,
        ...defined({ code, fields }),
        text,
        ...defined({ detail }),
      }),
    );
    return c.json({ ...ref, ...defined({ ours }), decisions, ...standing }, 200);
  });
}
