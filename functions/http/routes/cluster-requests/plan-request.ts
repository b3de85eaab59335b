import { z } from '@hono/zod-openapi';
import { asObject } from '../../../../shared/base/json.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { findingSchema, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { refuseFindings } from './create-request.ts';
import { maxRequestBytes, requestBodySchema } from './request-schemas.ts';
import { askedPlace, clusterParam, otherTeam, ownNamespace } from './request-target.ts';

const amount = z.number().nullable();

const planSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      namespace: z.string(),
      name: z.string(),
      valid: z.boolean(),
      findings: z.array(findingSchema()),
      stages: z.array(
        z.object({
          stage: z.string(),
          cluster: z.enum(['management', 'new']),
          readyWhen: z.string(),
          deadlineSeconds: z.number(),
          manifests: z.array(z.looseObject({})),
        }),
      ),
      monthlyPrice: z
        .object({
          state: z.enum(['known', 'partial', 'unknown']),
          currency: z.string(),
          least: amount,
          most: amount,
          parts: z.array(
            z.object({ part: z.string(), what: z.string(), least: amount, most: amount, note: z.string().optional() }),
          ),
          reason: z.string().optional(),
        })
        .nullable()
        .openapi({ description: 'Per month. Null where the request is invalid; an unknown price is never zero.' }),
      checked: z.boolean().openapi({ description: 'Whether quota, sizes, versions and names were checked at Azure.' }),
      unanswered: z.array(z.string()).openapi({ description: 'What did not answer.' }),
    })
    .openapi('ClusterPlan'),
);

const route = apiRoute({
  method: 'post',
  path: '/v1/cluster-requests/plan',
  access: 'read',
  operationId: 'planClusterRequest',
  summary: 'What a request for a cluster would become, and what it costs',
  description:
    'The manifests, everything that is wrong with the request, and the price per month. check=true also asks Azure for quota, sizes, versions and names; it only reads. Nothing is created.',
  middleware: jsonBody({ maxBytes: maxRequestBytes, schema: requestBodySchema }),
  request: {
    query: closedObject({
      cluster: clusterParam.optional(),
      namespace: z.string().min(1).max(63).optional(),
      check: z.enum(['true', 'false']).default('false'),
    }),
    body: { required: true, content: { 'application/json': { schema: documented(() => requestBodySchema) } } },
  },
  responses: {
    200: { description: 'The plan; for an invalid request, what is wrong.', content: jsonAnswer(() => planSchema()) },
    ...problems(400, 401, 403, 404, 413, 415),
  },
});

export function addPlanClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, check, namespace = ownNamespace(c.get('caller')) ?? 'default' } = c.req.valid('query');
    const asked = askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { requestFromBody } = await import('../../../../shared/clusters/operations/from-body.ts');
    const sent = requestFromBody(c.get('json'), namespace);
    if (!sent.ok) return refuseFindings(c, sent.findings) as never;
    const foreign = otherTeam(c, String(asObject(sent.object.metadata)?.namespace));
    if (foreign !== undefined) return foreign as never;
    const { planAt } = await import('../../../../shared/clusters/operations/plan.ts');
    const options = { check: check === 'true' };
    const plan = await planAt(asked.requests, asked.place, sent.object, options, c.req.raw.signal);
    return c.json(plan as unknown as z.infer<ReturnType<typeof planSchema>>, 200);
  });
}
