/** The HTTP app of a host on loopback, with a data directory that commands find it by, beside a simulated cluster. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { rememberUrl } from '../../cli/reach/remembered-host.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { kubeconfigFor, startClusterApi } from '../../sim/cluster/server.ts';
import { type HttpWorldOptions, httpWorld, token } from '../http/world.ts';

export async function doctorWorld(options: HttpWorldOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-served-'));
  const cluster = await startClusterApi({ file: ':memory:', port: 0 });
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 60_000, fieldManager: 'test' };
  const api = connectCluster({ name: 'production', url: cluster.url, ...common });
  const world = httpWorld({ api, ...options });
  world.clock.advance(systemClock.now() - world.clock.now());
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = await world.app.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  rememberUrl(directory, url);
  writeFileSync(join(directory, 'token'), `${token}\n`);
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(cluster.url));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    api.close();
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    ...world,
    api,
    directory,
    kubeconfig,
    url,
    stop: () => server.close(),
    args: ['-d', directory, '--kubeconfig', kubeconfig],
  };
}
