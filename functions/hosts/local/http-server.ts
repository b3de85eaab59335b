/** Serves the HTTP functions on this machine. */
import { serve } from '@hono/node-server';
import { failed, ok, type Result } from '../../../shared/claims/errors.ts';
import { isLoopback } from '../../../shared/loopback.ts';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

interface App {
  fetch(request: Request): Response | Promise<Response>;
}

export async function serveHttp(app: App, at: { host: string; port: number }): Promise<Result<HttpServer>> {
  const { host, port } = at;
  return new Promise((resolve) => {
    const server = serve({ fetch: (request) => guarded(app, host, request), hostname: host, port }, (address) => {
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      const url = `http://${name}:${address.port}`;
      resolve(
        ok({
          url,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed());
              if ('closeIdleConnections' in server) server.closeIdleConnections();
            }),
        }),
      );
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `port ${port} on ${host} is taken: stop what uses it, or choose another with http.port`
          : `can't listen on ${host}:${port}: ${error.message}`;
      resolve(failed('unavailable', why));
    });
  });
}

/** A web page whose name was made to point here still names itself in Host: it is refused (DNS rebinding). */
function guarded(app: App, host: string, request: Request): Response | Promise<Response> {
  if (isLoopback(host) && !isLoopback(new URL(request.url).hostname)) {
    return Response.json({ status: 403, title: 'this host serves loopback only' }, { status: 403 });
  }
  return app.fetch(request);
}
