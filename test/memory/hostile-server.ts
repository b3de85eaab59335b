/** An API server that means harm: its answers do not end, or are as large as the other side takes. In the process that starts it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const mebibyte = 1024 * 1024;

/** Whoever has no limit of its own is let go here, so that what it holds can be measured. */
const mostPages = { many: 800, few: 10 };

/** What it does with a list, or with a watch where the list was only the way there. */
export const harms = {
  /** Lists whose every page names a next one, with other objects on it. */
  'endless list': (request, response) => json(response, page(request, { count: 500, most: mostPages.many })),
  /** Pages without an object, and always a next one. */
  'endless empty pages': (request, response) => json(response, page(request, { count: 0, most: 12_000 })),
  /** The largest page that anybody takes, again and again. */
  'large pages': (request, response) =>
    json(response, page(request, { count: 50, most: mostPages.few, padding: 'x'.repeat(mebibyte) })),
  /** Names that nobody can have. */
  'long names': (request, response) =>
    json(response, page(request, { count: 10, most: mostPages.few, name: 'n'.repeat(mebibyte) })),
  /** Bytes that claim to be compressed. */
  'gzip bomb': (_, response) => endless(response, 200, { 'content-encoding': 'gzip' }, bomb),
  /** An error whose text has no end. */
  'endless error': (_, response) => endless(response, 500, {}, letters),
  /** An error that just fits. */
  'large error': (_, response) => void response.writeHead(500).end('e'.repeat(60 * mebibyte)),
  /** A watch with a line that has no end. */
  'endless line': (request, response) =>
    isWatch(request) ? endless(response, 200, {}, letters) : json(response, page(request, { count: 1, most: 0 })),
  /** A watch whose events are no events, and long. */
  'long lines': (request, response) =>
    isWatch(request)
      ? void response.writeHead(200).end(`${'l'.repeat(7 * mebibyte)}\n`)
      : json(response, page(request, { count: 1, most: 0 })),
  /** A watch that brings ever new objects. */
  'endless events in lines': (request, response) => {
    if (!isWatch(request)) return json(response, page(request, { count: 1, most: 0 }));
    if (names > 400_000) return void response.writeHead(500).end();
    const lines = (): Buffer => {
      const { items } = page(request, { count: 1000, most: 0 });
      return Buffer.from(items.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`).join(''));
    };
    endless(response, 200, {}, () => (names > 400_000 ? undefined : lines()));
  },
} as const satisfies Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

export type Harm = keyof typeof harms;

export interface HostileServer {
  readonly url: string;
  /** How many bytes it got rid of, for each connection. */
  readonly sent: number[];
  close(): void;
}

export async function startHostile(harm: Harm): Promise<HostileServer> {
  const sent: number[] = [];
  names = 0;
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    // A watch that follows a list which should not have ended is refused.
    if (isWatch(request) && !harm.includes('line')) return void response.writeHead(500).end();
    harms[harm](request, response);
  });
  server.on('connection', (socket) => socket.on('close', () => sent.push(socket.bytesWritten)));
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const manyLetters = Buffer.alloc(mebibyte, 'a');
const letters = (): Buffer => manyLetters;
const manyBytes = Buffer.alloc(mebibyte, 0x8b);
const bomb = (): Buffer => manyBytes;

const isWatch = (request: IncomingMessage): boolean => request.url?.includes('watch=true') === true;

let names = 0;

function page(
  request: IncomingMessage,
  { count, most, padding = '', name = 'n' }: { count: number; most: number; padding?: string; name?: string },
) {
  const items = Array.from({ length: count }, () => {
    names += 1;
    const id = `${name}${names}`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: id, uid: `uid-${names}`, resourceVersion: String(names), annotations: { padding } },
    };
  });
  const at = Number(/continue=(\d+)/.exec(request.url ?? '')?.[1] ?? 0) + 1;
  const metadata = { resourceVersion: '1', ...(at < most ? { continue: String(at) } : {}) };
  return { kind: 'NodeList', apiVersion: 'v1', metadata, items };
}

const json = (response: ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function endless(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  next: () => Buffer | undefined,
): void {
  response.writeHead(status, headers);
  const more = (): void => {
    while (!response.destroyed) {
      const chunk = next();
      if (chunk === undefined) return void response.end();
      if (!response.write(chunk)) return void response.once('drain', more);
    }
  };
  more();
}
