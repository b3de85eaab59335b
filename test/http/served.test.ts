/** The app behind a real server: bodies are streams there, connections are used again, and clients go away. */

import { connect } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defined } from '../../shared/base/defined.ts';
import { requestServices, stored } from './cluster-requests-world.ts';
import { anEvent, httpWorld, token } from './world.ts';

const world = httpWorld({ maxIntakeBytes: 100_000, canStream: true });
const requests = requestServices(world.services, ['production']);
Object.assign(world.services, { requests });
let server: ServerType;
let port = 0;

beforeAll(async () => {
  port = await new Promise((resolve) => {
    server = serve({ fetch: (request) => world.app.fetch(request), hostname: '127.0.0.1', port: 0 }, (info) =>
      resolve(info.port),
    );
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const authorization = `Bearer ${token}`;
const call = (method: string, path: string, body?: string, headers = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization, ...headers },
    ...defined({ body }),
  });
const json = { 'content-type': 'application/json' };

it('takes events and operations with and without a body', async () => {
  expect((await call('POST', '/v1/events', JSON.stringify(anEvent()), json)).status).toBe(202);
  expect((await call('POST', '/v1/dead-letters/replay')).status).toBe(200);
  expect((await call('POST', '/v1/dead-letters/replay', '{"ids":[]}', json)).status).toBe(200);
  expect((await call('PUT', '/v1/pauses/cluster/staging')).status).toBe(200);
  expect((await call('POST', '/v1/events')).status).toBe(415);
});

it('answers HEAD like GET, without the body', async () => {
  const answer = await call('HEAD', '/metrics');
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});

it('goes on with the same client after a body that was too big', async () => {
  const tooBig = await call('POST', '/v1/events', JSON.stringify('x'.repeat(2_000_000)), json);
  expect(tooBig.status).toBe(413);
  await tooBig.text();
  expect((await call('GET', '/v1/pauses')).status).toBe(200);
});

it('is not disturbed by a client that goes away in the middle of its body', async () => {
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}Content-Length: 100\r\n\r\n{"a"`, () => socket.destroy());
  await closed;

  expect((await call('GET', '/healthz')).status).toBe(200);
  expect(world.log.lines.filter(({ event }) => event !== 'audit.recorded')).toEqual([]);
});

it('sends the events of a watch while it lasts, and ends it when the client goes away', async () => {
  await stored(requests.places[0]);
  const control = new AbortController();
  const path = '/v1/cluster-requests/production/team-a/web?watch=stream';
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization }, signal: control.signal });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toMatch(/^event: request\nid: \S+\ndata: \{.*\}\n\n$/);
  control.abort();
  await expect(reader?.read()).rejects.toThrow();
  expect((await call('GET', '/healthz')).status).toBe(200);
});
