import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { scrubText } from '../../../../shared/observe/log/redact.ts';
import { questionsHere } from '../../../questions/provider-questions.ts';
import { checkProvider } from '../../../questions/questions.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { clusterNames, providerNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { refusals, refuseAnswer } from '../../kit/refuse-answer.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

export const checkSchema = late(() =>
  z
    .object({
      group: z.string().optional().openapi({ description: 'The heading for it in a report.' }),
      name: z.string(),
      state: z.enum(['pass', 'warn', 'fail']),
      message: z.string(),
      code: z.string().optional().openapi({ description: 'Its entry in the catalog of errors.' }),
      repair: z.string().optional().openapi({ description: 'A command or a step that fixes it.' }),
    })
    .openapi('Check'),
);

const bodySchema = closedObject({ cluster: z.string().max(253).optional() });

const route = apiRoute({
  method: 'post',
  path: '/v1/providers/{name}/check',
  access: 'read',
  operationId: 'checkProvider',
  summary: 'Check with the cloud whether this provider works now',
  description: 'Checks the identity, its permissions, and how much of the quota is used. Nothing is changed.',
  middleware: jsonBody({ maxBytes: 4096, schema: bodySchema, optional: true }),
  request: {
    params: z.object({ name: z.string().max(253) }),
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: {
      description: 'The findings, for each cluster that it serves or for the given one.',
      content: jsonAnswer(() => z.object({ checks: z.array(checkSchema()) })),
    },
    ...problems(401, 403, 413, 415, ...refusals),
  },
});

export function addCheckProvider(app: HttpApp, { services, questions = questionsHere(services) }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const { cluster } = c.get('json');
    const known = providerNames(services);
    if (!known.includes(name)) {
      return problem(c, 404, 'unknown-provider', asSentence(unknownName('provider', name, known)));
    }
    const clusters = clusterNames(services);
    if (cluster !== undefined && !clusters.includes(cluster)) {
      return problem(c, 404, 'unknown-cluster', asSentence(unknownName('cluster', cluster, clusters)));
    }
    const input = { provider: name, ...defined({ cluster }) };
    const answer = await questions.ask(checkProvider, input, c.req.raw.signal);
    if (!answer.ok) return refuseAnswer(c, answer.error);
    // Much of it is what a cloud has said.
    const checks = answer.value.checks.map(({ message, ...rest }) => ({ ...rest, message: scrubText(message) }));
    return c.json({ checks }, 200);
  });
}
