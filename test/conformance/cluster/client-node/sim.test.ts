import { request } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { startClusterApi } from '../../../../sim/cluster/server.ts';
import { selfSigned } from '../../../../sim/kit/self-signed.ts';
import { clientNodeCases } from './cases.ts';
import type { World } from './world.ts';

const token = 'let-me-in';

/** The simulated API asks no caller who he is; a server before it does, with a certificate of its own. */
clientNodeCases('the simulated API server', async (): Promise<World> => {
  const api = await startClusterApi({ file: ':memory:', port: 0 });
  const certificate = selfSigned('server');
  const guard = https.createServer(certificate, (incoming, outgoing) => {
    if (incoming.headers.authorization !== `Bearer ${token}`) {
      const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401 };
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(status));
      return;
    }
    const { method, url, headers } = incoming;
    const passed = request(`${api.url}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => guard.listen(0, '127.0.0.1', resolve));
  return {
    server: `https://127.0.0.1:${(guard.address() as AddressInfo).port}`,
    ca: certificate.cert,
    token,
    close: async () => {
      guard.close();
      guard.closeAllConnections();
      await api.close();
    },
  };
});
