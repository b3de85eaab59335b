import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { capacityTypes } from '../../../../shared/nodes/claims/spec/well-known.ts';
import type { PlanAnswer } from '../../../../shared/nodes/plan/answer.ts';
import { questionsHere } from '../../../questions/provider-questions.ts';
import { plan } from '../../../questions/questions.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { refusals, refuseAnswer } from '../../kit/refuse-answer.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';

const mostNodeClasses = 100;
const maxBytes = 1_000_000;

const bodySchema = closedObject({
  cluster: z.string().max(253),
  object: z.looseObject({}).describe('A NodeClaim or a NodePool of karpenter.sh/v1.'),
  nodeClasses: z
    .array(z.looseObject({}))
    .max(mostNodeClasses)
    .optional()
    .describe('Node classes to treat as existing, instead of those in the cluster.'),
});

const offering = z.object({
  instanceType: z.string(),
  zone: z.string(),
  capacityType: z.enum(capacityTypes),
  pricePerHour: z.number().optional(),
});

const answerSchema = late(() =>
  z
    .object({
      outcome: z.enum(['launch', 'wait', 'impossible', 'not-ours', 'invalid']),
      why: z.string().optional(),
      code: z.string().optional().openapi({ description: 'The reason that the condition would have; see the errors.' }),
      kind: z.string().optional(),
      name: z.string().optional(),
      provider: z.string().optional(),
      nodeClass: z.string().optional(),
      count: z
        .number()
        .int()
        .optional()
        .openapi({ description: 'How many instances; absent for a pool without replicas.' }),
      chosen: offering.optional(),
      runnerUp: offering.optional().openapi({ description: 'What is tried next if the cloud refuses the chosen one.' }),
      candidates: z.array(offering).openapi({ description: 'Best first; the first few of candidateCount.' }),
      candidateCount: z.number().int(),
      alternatives: z
        .number()
        .int()
        .optional()
        .openapi({ description: 'How many other offerings the cloud may choose instead.' }),
      rejections: z.array(
        z.object({
          instanceType: z.string(),
          kind: z.string(),
          reason: z.string(),
          requirement: z.string().optional(),
        }),
      ),
      nearestChange: z.string().optional(),
      quota: z
        .array(
          z.object({
            name: z.string(),
            used: z.number(),
            limit: z.number(),
            unit: z.string(),
            after: z.number().optional(),
          }),
        )
        .optional(),
      cap: z.object({ used: z.number(), limit: z.number(), after: z.number() }).optional(),
      pricePerHour: z.number().optional().openapi({ description: 'Total for all instances; absent if unknown.' }),
      pricePerMonth: z.number().optional().openapi({ description: 'Of 730 hours.' }),
      problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      hints: z.array(z.string()).optional(),
      retryAt: z.string().optional().openapi({ format: 'date-time' }),
    })
    .openapi('Plan'),
);

const route = apiRoute({
  method: 'post',
  path: '/v1/plan',
  access: 'read',
  operationId: 'plan',
  summary: 'What a NodeClaim or a NodePool would get now',
  description: 'Uses the same choice as a launch at this moment. Nothing is created, written or reserved.',
  middleware: jsonBody({ maxBytes, schema: bodySchema }),
  request: { body: { required: true, content: { 'application/json': { schema: documented(() => bodySchema) } } } },
  responses: {
    200: {
      description: 'The plan; for an invalid object, the plan says what is wrong.',
      content: jsonAnswer(() => answerSchema()),
    },
    ...problems(401, 403, 413, 415, ...refusals),
  },
});

export function addPlan(app: HttpApp, { services, questions = questionsHere(services) }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, object, nodeClasses } = c.get('json');
    const known = clusterNames(services);
    if (!known.includes(cluster)) {
      return problem(c, 404, 'unknown-cluster', asSentence(unknownName('cluster', cluster, known)));
    }
    const input = { cluster, object, ...defined({ nodeClasses }) };
    const answer = await questions.ask(plan, input, c.req.raw.signal);
    return answer.ok ? c.json(shown(answer.value), 200) : refuseAnswer(c, answer.error);
  });
}

function shown({ retryAt, ...answer }: PlanAnswer): z.infer<ReturnType<typeof answerSchema>> {
  return { ...answer, ...(retryAt === undefined ? {} : { retryAt: isoTime(retryAt) }) };
}
