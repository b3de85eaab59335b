/** A proxy or API server that echoes our token, dressed up with control characters and markup. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, expectThat } from '../attack.ts';

const control = ['\u0000', '\u001b', '\u009b', '\u202e'];
const secret = 'attack-bearer-secret-0123456789abcdef';

export const echoedToken: Attack = {
  name: 'an API server that echoes our token and control characters',
  run: async ({ startHost, defer }) => {
    const server = createServer((request, response) => {
      request.resume();
      const message = `\u001b[31mdenied\u0000\u009b ${request.headers.authorization}\n{"level":"info","event":"forged"}\u202e<b>login</b>`;
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const echo = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const host = await startHost({ clusters: { echo: { server: echo, token: secret } } });
    await pause(3000);
    const headers = { authorization: `Bearer ${host.token}` };
    const outputs = [host.log()];
    for (const path of ['/readyz', '/v1/clusters', '/v1/checks', '/metrics', '/v1/logs']) {
      outputs.push(await (await fetch(`${host.url}${path}`, { headers })).text());
    }
    const all = outputs.join('\n');
    expectThat(!all.includes(secret), 'the token came out');
    const found = control.filter((character) => all.includes(character));
    expectThat(found.length === 0, `${found.length} control characters came out`);
    expectThat(!/^\{"level":"info","event":"forged"\}/m.test(all), 'a line of the log was forged');
    return `${outputs.length} outputs, ${all.length} characters, nothing found`;
  },
};
