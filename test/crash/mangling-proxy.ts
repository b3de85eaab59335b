/**
 * Stands between the host and the cluster API: passes every request on, and mangles watch streams, so that events are
 * doubled, lost and re-ordered.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../shared/base/runtime.ts';

export interface ManglingProxy {
  readonly url: string;
  readonly mangled: { lost: number; doubled: number; swapped: number };
  close(): Promise<void>;
}

export async function startManglingProxy(target: string, random: Random): Promise<ManglingProxy> {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const mangled = { lost: 0, doubled: 0, swapped: 0 };

  const mangleLines = (from: IncomingMessage, to: ServerResponse): void => {
    let rest = '';
    let held: string | undefined;
    from.setEncoding('utf8');
    from.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const chance = random();
        // A bookmark tells where to resume: without the mangled lines before it, that is a loss of its own.
        if (chance < 0.05) {
          mangled.lost++;
          continue;
        }
        if (chance < 0.1) {
          mangled.doubled++;
          to.write(`${line}\n`);
        }
        if (chance < 0.15 && held === undefined) {
          mangled.swapped++;
          held = line;
          continue;
        }
        to.write(`${line}\n`);
        if (held !== undefined) to.write(`${held}\n`);
        held = undefined;
      }
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
  };

  const server = createServer((incoming, outgoing) => {
    const isWatch = /[?&]watch=(true|1)/.test(incoming.url ?? '');
    const onward = request(
      { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers, agent },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        if (isWatch) mangleLines(answer, outgoing);
        else answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    mangled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}
