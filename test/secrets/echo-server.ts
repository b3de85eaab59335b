/** A server that refuses everything and sends back all that it was shown, in every spelling: what a helpful proxy does at its worst. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Every planted secret begins like this, so one pattern finds all of them. */
export const planted = (source: string): string => `planted-${source}+0123456789/abcdef&x`;

/** The same without signs, for keys that stand in a path. */
export const plantedKey = (source: string): string => `planted-${source}-0123456789-abcdef`;

/** The beginning as it is, and as it is in base64 wherever it begins there. */
const marks = /planted-|cGxhbnRlZC|BsYW50ZWQ|wbGFudGVkL/;

/** The lines of a text with something of a planted secret in them. */
export const leaksIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => marks.test(line))
    .map((line) => line.slice(0, 400));

export type Kind = 'status' | 'page' | 'login' | 'aws' | 'text';

export interface EchoServer {
  readonly url: string;
  readonly port: number;
  /** How often it was asked. */
  asked(): number;
  close(): Promise<void>;
}

export async function startEcho(kind: Kind, also: readonly string[] = []): Promise<EchoServer> {
  let count = 0;
  const sockets = new Set<Socket>();
  /** What was shown when the tunnel was opened; inside it this server answers as well. */
  const tunnels = new WeakMap<object, string[]>();
  const server = createServer((request, response) => {
    count += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      const shown = [
        ...shownBy(request),
        ...(tunnels.get(request.socket) ?? []),
        ...also,
        ...(marks.test(body) ? [body] : []),
      ];
      const { status, type, text } = answers[kind](shown.flatMap(spellings).join(' ; '));
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    tunnels.set(socket, shownBy(request));
    server.emit('connection', socket);
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked: () => count,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => closed());
      }),
  };
}

/** Only what is worth it: the rest would fill what an excerpt has room for. */
const shownBy = ({ rawHeaders, url = '' }: IncomingMessage): string[] =>
  [...rawHeaders, url].filter((one) => marks.test(one));

function spellings(shown: string): string[] {
  const bare = shown.replace(/^(bearer|basic) /i, '');
  return [
    shown,
    bare,
    encodeURIComponent(bare),
    JSON.stringify(bare),
    Buffer.from(bare).toString('base64'),
    Buffer.from(`authorization: ${shown}`).toString('base64url'),
    `${bare.slice(0, -3)}…`,
  ];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;');

const answers: Record<Kind, (echo: string) => { status: number; type: string; text: string }> = {
  status: (echo) => ({
    status: 403,
    type: 'application/json',
    text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, message: `no: ${echo}` }),
  }),
  page: (echo) => ({ status: 502, type: 'text/html', text: `<html><h1>Bad</h1><p>${escaped(echo)}</p></html>` }),
  login: (echo) => ({ status: 200, type: 'text/html', text: `<html><form>${escaped(echo)}</form></html>` }),
  aws: (echo) => ({
    status: 403,
    type: 'text/xml',
    text: `<Response><Errors><Error><Code>SignatureDoesNotMatch</Code><Message>${escaped(echo)}</Message></Error></Errors><RequestID>r</RequestID></Response>`,
  }),
  text: (echo) => ({ status: 401, type: 'text/plain', text: echo }),
};
