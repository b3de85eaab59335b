/** What a kubelet and Prometheus ask the provider server: plain HTTP on a port of its own. */
import { createServer } from 'node:http';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';

export interface ProbesOptions {
  host: string;
  port: number;
  /** Why it cannot take calls; undefined while it can. */
  problem(): string | undefined;
  metrics(): Promise<{ type: string; text: string }>;
}

export interface Probes {
  readonly port: number;
  close(): Promise<void>;
}

const plain = 'text/plain; charset=utf-8';

export function serveProbes(options: ProbesOptions): Promise<Result<Probes>> {
  const server = createServer((request, response) => {
    request.resume();
    void answerTo((request.url ?? '').split('?')[0] ?? '', options).then(({ code, type, text }) =>
      response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }).end(redactSecrets(text)),
    );
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another process uses it; pass another --health-port' : error.message;
      resolve(failed('unavailable', `cannot listen on ${options.host}:${options.port}: ${why}`));
    });
    server.listen(options.port, options.host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : options.port;
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve(ok({ port, close }));
    });
  });
}

async function answerTo(path: string, options: ProbesOptions): Promise<{ code: number; type: string; text: string }> {
  switch (path) {
    // A hypervisor that is away is no reason to restart the server.
    case '/healthz':
    case '/health':
      return { code: 200, type: plain, text: 'ok\n' };
    case '/readyz': {
      const problem = options.problem();
      return problem === undefined
        ? { code: 200, type: plain, text: 'ok\n' }
        : { code: 503, type: plain, text: `${problem}\n` };
    }
    case '/metrics': {
      const { type, text } = await options.metrics();
      return { code: 200, type, text };
    }
    default:
      return { code: 404, type: plain, text: 'only /healthz, /readyz and /metrics\n' };
  }
}
