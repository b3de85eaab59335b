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
import { withoutSecrets } from './kit/without-secrets.ts';
import type { HttpApp, HttpEnv, HttpOptions } from './options.ts';
import { pathOf } from './routes/workflows/workflow-schemas.ts';
import { routes } from './routes.ts';

export type { HttpOptions } from './options.ts';

export interface HttpFunctions {
  /** `peer`: what the host knows about the connection. */
  fetch(request: Request, peer?: Peer): Promise<Response> | Response;
}

export function createHttpApp(options: HttpOptions): HttpFunctions {
  const app: HttpApp = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid, getPath: pathOf });
  const { services } = options;

  app.onError((error, c) => {
    const instance = `urn:poolwright:failure:${services.ids.next()}`;
    // The path without its query, and no header: neither is ours to put into a log.
    services.log.write('http.failed', { method: c.req.method, path: shownPath(c.req.path), instance, error });
    return problem(c, 500, 'internal', "Internal error. Search the host's log for the instance of this problem.", {
      instance,
    });
  });
  const { refuseMethod, notFound } = unknownPath(app);
  app.notFound(notFound);
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
  });
  app.use(withoutSecrets);
  app.use(requireCaller(app, options));
  app.use(refuseMethod);

  for (const addRoute of routes) addRoute(app, options);
  return { fetch: (request, peer) => app.fetch(request, { certificateNames: peer?.certificateNames ?? [] }) };
}
