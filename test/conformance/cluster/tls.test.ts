import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type ClusterConnection, connectCluster } from '../../../shared/kube/client/http.ts';
import { nodes } from '../../../shared/kube/contract.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { type KeyAndCertificate, selfSigned } from '../../../sim/kit/self-signed.ts';

let server: KeyAndCertificate;
let user: KeyAndCertificate;
beforeAll(() => {
  server = selfSigned('server');
  user = selfSigned('user');
});

/** An API server that lets in only whom it knows by certificate. */
async function start(connection: Partial<ClusterConnection>) {
  const seen: string[] = [];
  const listener = https.createServer(
    { ...server, ca: user.cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const known = (request.socket as TLSSocket).authorized;
      seen.push(`${request.method} ${known}`);
      const object = { kind: 'Node', metadata: { name: 'n', uid: 'u', resourceVersion: '1' } };
      if (request.url?.includes('watch=true') === true) response.end(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      else
        response
          .writeHead(known ? 200 : 401)
          .end(JSON.stringify(known ? object : { kind: 'Status', message: 'who are you' }));
    },
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const api = connectCluster({
    name: 'tls',
    url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 10_000,
    fieldManager: 'poolwright',
    ...connection,
  });
  onTestFinished(() => {
    api.close();
    listener.close();
    listener.closeAllConnections();
  });
  return { api, seen };
}

it('trusts the given authority and shows its own certificate, for requests and watches', async () => {
  const { api, seen } = await start({ ca: server.cert, cert: user.cert, key: user.key });
  expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
  const types: string[] = [];
  const end = await api.watch(
    nodes,
    { resourceVersion: '1' },
    (event) => void types.push(event.type),
    new AbortController().signal,
  );
  expect(end).toEqual({ end: 'closed' });
  expect(types).toEqual(['added']);
  expect(seen).toEqual(['GET true', 'GET true']);
});

it('is unauthorised without its certificate', async () => {
  const { api } = await start({ ca: server.cert });
  expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
});

it('sends nothing, not even a write, to a server that it does not trust', async () => {
  const { api, seen } = await start({ token: 'hunter2' });
  const result = await api.mergePatch(nodes, { name: 'n' }, {});
  expect(result).toMatchObject({
    ok: false,
    error: { kind: 'unavailable', message: expect.stringContaining('self-signed') },
  });
  expect(JSON.stringify(result)).not.toContain('hunter2');
  expect(seen).toEqual([]);
});
