/**
 * The HTTP functions as one app that any host can serve: a Web Request in, a Response out.
 *
 * @example
 * const app = createHttpApp({ services, token: () => token, ready, version: '0.1.0' });
 * serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 8080 });
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { requireCaller } from './kit/authorization.ts';
import { type Peer, shownPath } from './kit/callers.ts';
import { problem } from './kit/problem.ts';
import { unknownPath } from './kit/unknown-path.ts';
import { refuseInvalid } from './kit/validation.ts';
import { addOpenApi } from './openapi.ts';
import type { HttpApp, HttpEnv, HttpOptions } from './options.ts';
import { addAdoptClaim } from './routes/claims/adopt-claim.ts';
import { addDecisions } from './routes/claims/decisions.ts';
import { addClusters } from './routes/clusters/clusters.ts';
import { addDeadLetter } from './routes/dead-letters/dead-letter.ts';
import { addDeadLetters } from './routes/dead-letters/dead-letters.ts';
import { addDropDeadLetters } from './routes/dead-letters/drop-dead-letters.ts';
import { addReplayDeadLetters } from './routes/dead-letters/replay-dead-letters.ts';
import { addEvents } from './routes/events/events.ts';
import { addLogs } from './routes/logs/logs.ts';
import { addOfferings } from './routes/offerings/offerings.ts';
import { addUnavailableOfferings } from './routes/offerings/unavailable-offerings.ts';
import { addLiftPause } from './routes/pauses/lift-pause.ts';
import { addPauses } from './routes/pauses/pauses.ts';
import { addSetPause } from './routes/pauses/set-pause.ts';
import { addPlan } from './routes/plan/plan.ts';
import { addCheckProvider } from './routes/providers/check-provider.ts';
import { addInstances } from './routes/providers/instances.ts';
import { addProviders } from './routes/providers/providers.ts';
import { addChecks } from './routes/status/checks.ts';
import { addHealth } from './routes/status/health.ts';
import { addMetrics } from './routes/status/metrics.ts';
import { addReadiness } from './routes/status/readiness.ts';
import { addWebhook } from './routes/webhook/webhook.ts';
import { addRestartWorkflow } from './routes/workflows/restart-workflow.ts';
import { addRetryWorkflow } from './routes/workflows/retry-workflow.ts';
import { addWorkflow } from './routes/workflows/workflow.ts';
import { pathOf } from './routes/workflows/workflow-schemas.ts';
import { addWorkflows } from './routes/workflows/workflows.ts';

export type { HttpOptions } from './options.ts';

export interface HttpFunctions {
  /** `peer`: what the host knows about the connection. */
  fetch(request: Request, peer?: Peer): Promise<Response> | Response;
}

export function createHttpApp(options: HttpOptions): HttpFunctions {
  const app: HttpApp = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid, getPath: pathOf });
  const { services, workflows } = options;

  app.onError((error, c) => {
    const instance = `urn:poolwright:failure:${services.ids.next()}`;
    // The path without its query, and no header: neither is ours to put into a log.
    services.log.write('http.failed', { method: c.req.method, path: shownPath(c.req.path), instance, error });
    return problem(c, 500, 'internal', 'Something went wrong here; the log says more under this instance.', {
      instance,
    });
  });
  app.notFound(unknownPath(app));
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
  });
  app.use(requireCaller(options));

  addHealth(app, options);
  addReadiness(app, options);
  addMetrics(app, options);
  addOpenApi(app, options);
  addEvents(app, options);
  addWebhook(app, options);
  addChecks(app, options);
  addClusters(app, options);
  addProviders(app, options);
  addCheckProvider(app, options);
  addInstances(app, options);
  addAdoptClaim(app, options);
  addDecisions(app, options);
  addDeadLetters(app, options);
  addDeadLetter(app, options);
  addReplayDeadLetters(app, options);
  addDropDeadLetters(app, options);
  addOfferings(app, options);
  addUnavailableOfferings(app, options);
  addPlan(app, options);
  addPauses(app, options);
  addSetPause(app, options);
  addLiftPause(app, options);
  if (options.logs) addLogs(app, options.logs);
  if (workflows) {
    addWorkflows(app, options, workflows);
    addWorkflow(app, workflows);
    addRetryWorkflow(app, options, workflows);
    addRestartWorkflow(app, workflows);
  }
  return { fetch: (request, peer) => app.fetch(request, { certificateNames: peer?.certificateNames ?? [] }) };
}
