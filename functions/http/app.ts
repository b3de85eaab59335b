/**
 * The HTTP functions as one app that any host can serve: a Web Request in, a Response out.
 *
 * @example
 * const app = createHttpApp({ services, token: () => token, ready, version: '0.1.0' });
 * serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 8080 });
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { addAdoptClaim } from './adopt-claim.ts';
import { requireCaller } from './authorization.ts';
import { type Peer, shownPath } from './callers.ts';
import { addCheckProvider } from './check-provider.ts';
import { addChecks } from './checks.ts';
import { addClusters } from './clusters.ts';
import { addDeadLetter } from './dead-letter.ts';
import { addDeadLetters } from './dead-letters.ts';
import { addDecisions } from './decisions.ts';
import { addDropDeadLetters } from './drop-dead-letters.ts';
import { addEvents } from './events.ts';
import { addHealth } from './health.ts';
import { addInstances } from './instances.ts';
import { addLiftPause } from './lift-pause.ts';
import { addLogs } from './logs.ts';
import { addMetrics } from './metrics.ts';
import { addOfferings } from './offerings.ts';
import { addOpenApi } from './openapi.ts';
import type { HttpApp, HttpEnv, HttpOptions } from './options.ts';
import { addPauses } from './pauses.ts';
import { addPlan } from './plan.ts';
import { problem } from './problem.ts';
import { addProviders } from './providers.ts';
import { addReadiness } from './readiness.ts';
import { addReplayDeadLetters } from './replay-dead-letters.ts';
import { addRestartWorkflow } from './restart-workflow.ts';
import { addRetryWorkflow } from './retry-workflow.ts';
import { addSetPause } from './set-pause.ts';
import { addUnavailableOfferings } from './unavailable-offerings.ts';
import { unknownPath } from './unknown-path.ts';
import { refuseInvalid } from './validation.ts';
import { addWebhook } from './webhook.ts';
import { addWorkflow } from './workflow.ts';
import { pathOf } from './workflow-schemas.ts';
import { addWorkflows } from './workflows.ts';

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
