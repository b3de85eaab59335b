import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { answerTooLong } from './http-body.ts';
import { createHttpClient } from './http-client.ts';

async function clientOf(listener: RequestListener, maxResponseBytes = 1000) {
  const server = http.createServer(listener);
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const { port } = server.address() as AddressInfo;
  const client = createHttpClient({ baseUrl: `http://127.0.0.1:${port}`, userAgent: 'test', maxResponseBytes });
  onTestFinished(() => {
    client.close();
    server.close();
    server.closeAllConnections();
  });
  return { get: (path = '/') => client.request({ method: 'GET', path, timeoutMs: 60_000 }) };
}

it('says that it takes no compressed answer, and refuses one unread', async () => {
  const asked: (string | undefined)[] = [];
  const { get } = await clientOf((request, response) => {
    asked.push(request.headers['accept-encoding']?.toString());
    const status = request.url === '/error' ? 502 : 200;
    response.writeHead(status, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000)));
  });
  expect(await get()).toMatchObject({
    ok: false,
    message: expect.stringMatching(/the answer is compressed \(gzip\)$/),
  });
  // The status of an error says what is most important.
  expect(await get('/error')).toMatchObject({ ok: true, status: 502, text: '' });
  expect(asked).toEqual(['identity', 'identity']);
});

it('cuts the text of an error, whatever its length, and the connection is not used again', async () => {
  const { get } = await clientOf((_, response) => response.writeHead(500).end('e'.repeat(1_000_000)), 2_000_000);
  const answer = await get();
  expect(answer).toMatchObject({ ok: true, status: 500 });
  expect(answer.ok && answer.text).toBe('e'.repeat(256 * 1024));
});

it('reads no more at once than its answers may have together, and goes on when some have ended', async () => {
  const held: http.ServerResponse[] = [];
  const { get } = await clientOf((request, response) => {
    if (request.url === '/free') return void response.end('y'.repeat(900));
    response.write('x'.repeat(900));
    held.push(response);
  });
  const waiting = [get('/1'), get('/2'), get('/3'), get('/4')];
  const first = await Promise.race(waiting);
  expect(first).toMatchObject({ ok: false, code: answerTooLong, message: expect.stringContaining('together') });
  for (const response of held) response.end();
  const ended = await Promise.all(waiting);
  expect(ended.filter(({ ok }) => ok)).toHaveLength(3);
  expect(await get('/free')).toMatchObject({ ok: true });
});

it('lets go of what has been read of an answer that breaks off', async () => {
  const { get } = await clientOf((request, response) => {
    if (request.url === '/free') return void response.end('y'.repeat(900));
    response.write('x'.repeat(900));
    setImmediate(() => response.destroy());
  });
  for (let round = 0; round < 5; round += 1) expect(await get()).toMatchObject({ ok: false });
  expect(await get('/free')).toMatchObject({ ok: true });
});
