/** Routes that change a request which exists: replace, cancel, retry. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { MarkOutcome } from '../../../../shared/clusters/operations/marks.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { refuseFindings } from './create-request.ts';
import { maxRequestBytes, requestAnswerSchema, requestBodySchema, shownRequest } from './request-schemas.ts';
import { type Asked, askedPlace, otherTeam, refuseStore, requestParams } from './request-target.ts';

const replaceRoute = apiRoute({
  method: 'put',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}',
  access: 'change-cluster',
  operationId: 'replaceClusterRequest',
  summary: 'Change a request for a cluster',
  description:
    'The body is the whole ClusterRequest. A field that cannot change on a cluster that exists is refused, and nothing is changed.',
  middleware: jsonBody({ maxBytes: maxRequestBytes, schema: requestBodySchema }),
  request: {
    params: requestParams,
    body: { required: true, content: { 'application/json': { schema: documented(() => requestBodySchema) } } },
  },
  responses: {
    200: { description: 'The request as it is now.', content: jsonAnswer(() => requestAnswerSchema()) },
    ...problems(400, 401, 403, 404, 409, 413, 415, 503),
  },
});

const markAnswer = () =>
  z.object({ cluster: z.string(), namespace: z.string(), name: z.string(), changed: z.boolean() });

const cancelRoute = apiRoute({
  method: 'post',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}/cancel',
  access: 'cancel-cluster',
  operationId: 'cancelClusterRequest',
  summary: 'Cancel a request for a cluster that is not ready yet',
  description: 'The host makes nothing more for it. What was made stays until the request is deleted.',
  request: { params: requestParams },
  responses: {
    200: { description: 'Cancelled, now or before.', content: jsonAnswer(markAnswer) },
    ...problems(401, 403, 404, 409, 503),
  },
});

const retryRoute = apiRoute({
  method: 'post',
  path: '/v1/cluster-requests/{cluster}/{namespace}/{name}/retry',
  access: 'retry-cluster',
  operationId: 'retryClusterRequest',
  summary: 'Retry a request for a cluster now',
  description: 'For what has failed, waits for quota or rights, or was cancelled.',
  request: { params: requestParams },
  responses: {
    200: { description: 'The host tries again now.', content: jsonAnswer(markAnswer) },
    ...problems(401, 403, 404, 409, 503),
  },
});

export function addReplaceClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(replaceRoute, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { requests, place } = asked;
    const { requestFromBody } = await import('../../../../shared/clusters/operations/from-body.ts');
    const sent = requestFromBody(c.get('json'), namespace);
    if (!sent.ok) return refuseFindings(c, sent.findings) as never;
    const { metadata } = sent.object as { metadata?: { name?: unknown; namespace?: unknown } };
    if ((metadata?.name ?? name) !== name || (metadata?.namespace ?? namespace) !== namespace) {
      return problem(
        c,
        400,
        'invalid-request',
        `In the body: metadata names another request than ${namespace}/${name}.`,
      );
    }
    const { replaceRequest } = await import('../../../../shared/clusters/operations/replace.ts');
    const now = requests.clock.now();
    const done = await replaceRequest(place, { namespace, name }, sent.object, now, c.req.raw.signal);
    switch (done.outcome) {
      case 'refused':
        return refuseFindings(c, done.findings) as never;
      case 'deleting':
        return problem(c, 409, 'cluster-request-exists', `The request ${namespace}/${name} is being deleted.`);
      case 'failed':
        return refuseChange(c, asked, `${namespace}/${name}`, done) as never;
      default:
        if (done.outcome === 'changed') await begin(asked, done.request);
        return c.json(shownRequest(cluster, done.request, { findings: [...done.findings] }), 200);
    }
  });
}

export function addCancelClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(cancelRoute, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { cancelRequest } = await import('../../../../shared/clusters/operations/marks.ts');
    const done = await cancelRequest(asked.place, { namespace, name }, c.req.raw.signal);
    return (await answerMark(c, asked, { cluster, namespace, name }, done, (why) =>
      problem(c, 409, 'nothing-to-cancel', why),
    )) as never;
  });
}

export function addRetryClusterRequest(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(retryRoute, async (c) => {
    const { cluster, namespace, name } = c.req.valid('param');
    const asked = otherTeam(c, namespace) ?? askedPlace(c, services, cluster);
    if (asked instanceof Response) return asked as never;
    const { retryRequest } = await import('../../../../shared/clusters/operations/marks.ts');
    const value = asked.requests.ids.next();
    const done = await retryRequest(asked.place, { namespace, name }, value, c.req.raw.signal);
    return (await answerMark(c, asked, { cluster, namespace, name }, done, (why) =>
      problem(c, 409, 'nothing-to-retry', why),
    )) as never;
  });
}

async function answerMark(
  c: Context,
  asked: Asked,
  what: { cluster: string; namespace: string; name: string },
  done: MarkOutcome,
  refuse: (why: string) => Response,
): Promise<Response> {
  if (done.outcome === 'failed') return refuseChange(c, asked, `${what.namespace}/${what.name}`, done);
  if (done.outcome === 'pointless') return refuse(done.why);
  await begin(asked, done.request);
  return c.json({ ...what, changed: done.changed }, 200);
}

async function begin({ requests, place }: Asked, request: Parameters<typeof shownRequest>[1]): Promise<void> {
  const { startWork } = await import('../../../../shared/clusters/operations/start.ts');
  await startWork(requests, place, request);
}

type Failed = Extract<MarkOutcome, { outcome: 'failed' }>;

/** Somebody else writes it at the same time; the caller reads and decides again. */
function refuseChange(c: Context, asked: Asked, name: string, { failure }: Failed): Response {
  if (failure.kind !== 'conflict') return refuseStore(c, asked, name, failure);
  return problem(c, 409, 'operation-in-progress', `The request ${name} is being changed at the same time. Try again.`);
}
