/**
 * The admission webhook: an API server asks before it stores. It works while the cluster has no node, because the API server
 * calls a URL; and it never holds up the user: what is wrong here ends in an error that the API server is told to ignore.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { eventBody } from '../../../../events/make.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { systemTimers } from '../../../../shared/base/timers.ts';
import { clusterRequestKind } from '../../../../shared/clusters/request/kind.ts';
import type { Caller } from '../../../../shared/identity/callers.ts';
import { admissionOf } from '../../../../shared/providers/admission.ts';
import type { ServedClaim } from '../../../../shared/providers/contract.ts';
import { kindsOf } from '../../../../shared/providers/serving.ts';
import type { News } from '../../../sources/change-events.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { foreign } from '../../kit/authorization.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { admissionNotes } from '../status/checks/admissions.ts';
import type { AdmissionRequest } from './admission.ts';

/** Loaded by the first review: it brings all that a claim and a pool are checked with. */
const admission = () => import('./admission.ts');
/** The same for requests for clusters. */
const requestAdmission = () => import('./request-admission.ts');
const isAboutClusters = ({ group, resource }: { group: string; resource: string }): boolean =>
  group === clusterRequestKind.group && resource === clusterRequestKind.plural;

/** Two whole objects with all their history of who wrote what: etcd takes 1.5 MiB for each. */
const maxReviewBytes = 4 * 1024 * 1024;
/** The API server waits a few seconds at most; the event matters less than its answer. */
const sendWithinMs = 1000;
/** So many events may wait for a queue that does not answer; more are dropped, and the resync finds their objects. */
const mostWaiting = 256;

const groupKind = z.looseObject({
  group: z.string().default(''),
  kind: z.string().default(''),
  version: z.string().optional(),
});
const groupResource = z.looseObject({ group: z.string().default(''), resource: z.string() });

const reviewSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  request: z.looseObject({
    uid: z.string().min(1).max(128),
    operation: z.string(),
    kind: groupKind.default({ group: '', kind: '' }),
    /** As its author wrote it, where the API server has converted it for us. */
    requestKind: groupKind.optional(),
    resource: groupResource,
    subResource: z.string().optional(),
    dryRun: z.boolean().nullish(),
    object: z.unknown(),
    oldObject: z.unknown(),
  }),
});

const answerSchema = late(() =>
  z.object({
    apiVersion: z.literal('admission.k8s.io/v1'),
    kind: z.literal('AdmissionReview'),
    response: z.object({
      uid: z.string(),
      allowed: z.boolean(),
      status: z.object({ code: z.number().int(), reason: z.string(), message: z.string() }).optional(),
      warnings: z.array(z.string()).optional(),
      patchType: z.literal('JSONPatch').optional(),
      patch: z.string().optional().openapi({ description: 'A JSON patch in base64.' }),
    }),
  }),
);

const cluster = z.string().min(1).max(253).openapi({ description: "The cluster's name in the configuration." });
const secret = z.string().min(1).max(512).openapi({ description: 'One of `clusters.<name>.intake.pathSecrets`.' });

const common = {
  description:
    'For a ValidatingWebhookConfiguration with failurePolicy Ignore and sideEffects NoneOnDryRun. Rejects claims, pools and cluster requests that could never be served, and puts an event on the queue for each one that it allows.',
  middleware: jsonBody({ maxBytes: maxReviewBytes, schema: reviewSchema }),
  responses: {
    200: { description: 'The answer.', content: jsonAnswer(() => answerSchema()) },
    ...problems(400, 401, 403, 404, 413, 415),
  },
};
const body = { required: true, content: { 'application/json': { schema: documented(() => reviewSchema) } } };

const plainRoute = apiRoute({
  method: 'post',
  path: '/v1/webhook/{cluster}',
  access: 'cluster',
  operationId: 'reviewAdmission',
  summary: 'Answer an admission review',
  ...common,
  request: { params: z.object({ cluster }), body },
});
const secretRoute = apiRoute({
  method: 'post',
  path: '/v1/webhook/{cluster}/{secret}',
  access: 'cluster',
  operationId: 'reviewAdmissionWithSecret',
  summary: 'Answer an admission review, with the secret in the path',
  ...common,
  request: { params: z.object({ cluster, secret }), body },
});

const defaulting = {
  ...common,
  description:
    'For a MutatingWebhookConfiguration with failurePolicy Ignore and sideEffects None. Writes the defaults of a node class into it, where its provider has some, and rejects nothing.',
};
const defaultsRoute = apiRoute({
  method: 'post',
  path: '/v1/webhook-defaults/{cluster}',
  access: 'cluster',
  operationId: 'writeDefaults',
  summary: 'Write the defaults of a node class into an admission review',
  ...defaulting,
  request: { params: z.object({ cluster }), body },
});
const secretDefaultsRoute = apiRoute({
  method: 'post',
  path: '/v1/webhook-defaults/{cluster}/{secret}',
  access: 'cluster',
  operationId: 'writeDefaultsWithSecret',
  summary: 'Write the defaults of a node class, with the secret in the path',
  ...defaulting,
  request: { params: z.object({ cluster, secret }), body },
});

export function addWebhook(app: HttpApp, options: HttpOptions): void {
  const { services, timers = systemTimers } = options;
  const noteAdmission = admissionNotes(services);
  let waiting = 0;

  const withinTime = async (work: Promise<void>): Promise<void> => {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = timers.after(sendWithinMs, resolve);
    });
    await Promise.race([work, late]);
    cancel();
  };

  /** Answers when the event is on the queue, or when it has taken long enough. */
  const tell = async (name: string, news: News): Promise<void> => {
    const lost = (why: unknown): void => {
      services.metrics.eventsLost.inc({ cluster: name, source: 'webhook' });
      services.log.write('webhook.event.lost', { cluster: name, error: why });
    };
    if (waiting >= mostWaiting) return lost(new Error(`${waiting} events are already waiting for the queue`));
    let body: string;
    try {
      const subject = `${name}/${'name' in news.data ? news.data.name : ''}`;
      const attributes = { id: services.ids.next(), time: services.clock.now(), source: `/webhook/${name}`, subject };
      body = eventBody(news.type, news.data, attributes);
    } catch (error) {
      return lost(error);
    }
    waiting += 1;
    const sent = services.events
      .send([body], { group: name })
      .catch(lost)
      .finally(() => {
        waiting -= 1;
      });
    await withinTime(sent);
  };

  type Review = z.infer<typeof reviewSchema>;

  /** A problem where the caller may not ask, or asks in another language. */
  const refusalOf = (c: Context, caller: Caller, name: string, review: Review) => {
    const isForeign = foreign(caller, name);
    if (isForeign) return problem(c, 403, 'foreign-cluster', asSentence(capitalized(isForeign)));
    if (services.cluster(name) === undefined)
      return problem(
        c,
        404,
        'unknown-cluster',
        asSentence(capitalized(unknownName('cluster', name, clusterNames(services)))),
      );
    if (review.kind !== 'AdmissionReview' || review.apiVersion !== 'admission.k8s.io/v1') {
      const detail = `This is ${review.kind} of ${review.apiVersion}; only AdmissionReview of admission.k8s.io/v1 is understood. Set admissionReviewVersions: [v1] in the ValidatingWebhookConfiguration.`;
      return problem(c, 400, 'review-version', detail);
    }
    return undefined;
  };

  /** A provider's own rules for the node class that is asked about. */
  const rulesFor = (kinds: readonly { group: string; plural: string }[], { request }: Review) => {
    const { group, resource } = request.resource;
    const isServed = kinds.some((kind) => kind.group === group && kind.plural === resource);
    return isServed ? admissionOf(group, resource) : undefined;
  };

  const answer = async (c: Context, caller: Caller, name: string, review: Review) => {
    const refused = refusalOf(c, caller, name, review);
    const served = services.cluster(name);
    if (refused !== undefined || served === undefined) return refused ?? problem(c, 404, 'unknown-cluster', '');
    const { request } = review;
    const nodeClasses = kindsOf(served.providers);
    const serves = (claim: ServedClaim): boolean => served.serving(claim).length > 0;
    const nodeClassRules = await rulesFor(nodeClasses, review);
    const verdict = isAboutClusters(request.resource)
      ? await (await requestAdmission()).judgeRequest(services, name, request, { signal: c.req.raw.signal, timers })
      : (await admission()).judge(
          { name, nodeClasses, serves, maxReplicas: served.maxReplicas, nodeClassRules },
          request satisfies AdmissionRequest,
        );
    const labels = { cluster: name, verdict: verdict.allowed ? 'allowed' : 'refused' };
    services.metrics.admissions.inc({ ...labels, operation: operationLabel(request.operation) });
    const noted = noteAdmission(name);
    if (verdict.allowed && verdict.news && request.dryRun !== true) await tell(name, verdict.news);
    await withinTime(noted);
    const { warnings } = verdict;
    const status = verdict.allowed ? {} : { status: { code: 422, reason: 'Invalid', message: verdict.message } };
    const response = {
      uid: request.uid,
      allowed: verdict.allowed,
      ...status,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
    return c.json({ apiVersion: 'admission.k8s.io/v1' as const, kind: 'AdmissionReview' as const, response }, 200);
  };

  const writeDefaults = async (c: Context, caller: Caller, name: string, review: Review) => {
    const refused = refusalOf(c, caller, name, review);
    if (refused !== undefined) return refused;
    const { request } = review;
    const rules = await rulesFor(kindsOf(services.cluster(name)?.providers ?? []), review);
    const { defaultsFor } = await admission();
    const spec = defaultsFor(rules, request satisfies AdmissionRequest);
    const patch = [{ op: 'replace', path: '/spec', value: spec }];
    const change =
      spec === undefined
        ? {}
        : { patchType: 'JSONPatch' as const, patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
    const response = { uid: request.uid, allowed: true, ...change };
    return c.json({ apiVersion: 'admission.k8s.io/v1' as const, kind: 'AdmissionReview' as const, response }, 200);
  };

  app.openapi(defaultsRoute, (c) => writeDefaults(c, c.get('caller'), c.req.valid('param').cluster, c.get('json')));
  app.openapi(secretDefaultsRoute, (c) =>
    writeDefaults(c, c.get('caller'), c.req.valid('param').cluster, c.get('json')),
  );
  app.openapi(plainRoute, (c) => answer(c, c.get('caller'), c.req.valid('param').cluster, c.get('json')));
  app.openapi(secretRoute, (c) => answer(c, c.get('caller'), c.req.valid('param').cluster, c.get('json')));
}

const operations = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const operationLabel = (operation: string): string => (operations.has(operation) ? operation.toLowerCase() : 'other');

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
