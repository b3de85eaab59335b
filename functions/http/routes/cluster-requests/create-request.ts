import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { asObject } from '../../../../shared/base/json.ts';
import type { CreateOutcome } from '../../../../shared/clusters/operations/create.ts';
import type { Finding } from '../../../../shared/clusters/rules/finding.ts';
import { kindOfCode } from '../../../../shared/observe/errors/code-of-kind.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { maxRequestBytes, requestAnswerSchema, requestBodySchema, shownRequest } from './request-schemas.ts';
import { type Asked, askedPlace, clusterParam, otherTeam, ownNamespace, refuseStore } from './request-target.ts';

export const placeQuery = closedObject({
  cluster: clusterParam.optional(),
  namespace: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .openapi({ description: 'For what does not name its own. Default: the team of the caller, or `default`.' }),
});

const route = apiRoute({
  method: 'post',
  path: '/v1/cluster-requests',
  access: 'request-cluster',
  operationId: 'createClusterRequest',
  summary: 'Request a whole cluster',
  description:
    'Accepts a ClusterRequest or flat parameters. The same name with the same spec is the same request, so a repeat is safe; another spec is refused with 409. The work begins at once.',
  middleware: jsonBody({ maxBytes: maxRequestBytes, schema: requestBodySchema }),
  request: {
    query: placeQuery,
    body: { required: true, content: { 'application/json': { schema: documented(() => requestBodySchema) } } },
  },
  responses: {
    200: { description: 'It exists already, with the same spec.', content: jsonAnswer(() => requestAnswerSchema()) },
    201: { description: 'It was created.', content: jsonAnswer(() => requestAnswerSchema()) },
    ...problems(400, 401, 403, 404, 409, 413, 415, 503),
  },
});

export function addCreateClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, namespace = ownNamespace(c.get('caller')) ?? 'default' } = c.req.valid('query');
    const asked = askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { requests, place } = asked;
    const { requestFromBody } = await import('../../../../shared/clusters/operations/from-body.ts');
    const sent = requestFromBody(c.get('json'), namespace);
    if (!sent.ok) return refuseFindings(c, sent.findings) as never;
    const foreign = otherTeam(c, String(asObject(sent.object.metadata)?.namespace));
    if (foreign !== undefined) return foreign as never;
    const { createRequest } = await import('../../../../shared/clusters/operations/create.ts');
    const done = await createRequest(place, sent.object, requests.clock.now(), c.req.raw.signal);
    if (!('request' in done && 'findings' in done)) return refuse(c, asked, done) as never;
    const { startWork } = await import('../../../../shared/clusters/operations/start.ts');
    await startWork(requests, place, done.request);
    const created = done.outcome === 'created';
    const answer = shownRequest(place.name, done.request, { created, findings: [...done.findings] });
    return c.json(answer, created ? 201 : 200);
  });
}

function refuse(c: Context, asked: Asked, done: Exclude<CreateOutcome, { outcome: 'created' | 'same' }>) {
  if (done.outcome === 'refused') return refuseFindings(c, done.findings);
  if (done.outcome === 'failed') return refuseStore(c, asked, '', done.failure);
  const { namespace, name } = done.request.metadata;
  const what = `${namespace}/${name}`;
  const detail = done.deleting
    ? `The request ${what} exists and is being deleted. Create it again when it is gone.`
    : `The request ${what} exists with another spec. Different: ${done.differs.slice(0, 5).join(', ')}.`;
  return problem(c, 409, 'cluster-request-exists', detail);
}

/** All at once, and the first error as the problem's own code. */
export function refuseFindings(c: Context, findings: readonly Finding[]): Response {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const code = first?.code ?? 'ClusterRequestInvalid';
  const detail = errors.slice(0, 5).map(({ field, cause, fix }) => `${field}: ${cause}; ${fix}.`);
  const more = errors.length > 5 ? [`There are ${errors.length - 5} more errors.`] : [];
  return problem(c, 400, kindOfCode(code), [...detail, ...more].join(' '), { findings: [...findings] });
}
