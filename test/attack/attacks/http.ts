/** Another website or program on the machine, through the HTTP API on loopback. */
import { connect } from 'node:net';
import { type Attack, expectThat } from '../attack.ts';

const ask = (url: string, head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });

export const foreignHosts: Attack = {
  name: 'requests under another name than that of the host',
  run: async ({ startHost }) => {
    const { url, token } = await startHost();
    const { host } = new URL(url);
    const get = (target: string, ...hosts: string[]): Promise<string> =>
      ask(
        url,
        [`GET ${target} HTTP/1.1`, ...hosts.map((one) => `Host: ${one}`), `Authorization: Bearer ${token}`].join(
          '\r\n',
        ),
      );
    const tried: [string, string][] = [
      ['two Host headers', await get('/v1/clusters', host, 'evil.example')],
      ['Host: 2130706433', await get('/v1/clusters', '2130706433')],
      ['Host: 0x7f.1', await get('/v1/clusters', '0x7f.1')],
      ['a foreign Host', await get('/v1/clusters', 'evil.example')],
      ['a foreign absolute target', await get('http://evil.example/v1/clusters', host)],
    ];
    const passed = tried.filter(([, status]) => / 200 /.test(`${status} `));
    expectThat(passed.length === 0, `passed: ${passed.map(([name]) => name).join(', ')}`);
    const own = await get('/v1/clusters', host);
    expectThat(/ 200/.test(own), `the host's own name was refused: ${own}`);
    return `${tried.length} refused, its own name accepted`;
  },
};
