/** A collector for tests: a real HTTP server on loopback that keeps what it is sent. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: ReturnType<typeof JSON.parse>;
}

export type Answer = (response: ServerResponse) => void;

export const accepted: Answer = (response) => void response.setHeader('content-type', 'application/json').end('{}');

export async function startCollector() {
  const received: Received[] = [];
  const collector = {
    received,
    answer: accepted as Answer,
    url: '',
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text.toString()) });
    collector.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}
