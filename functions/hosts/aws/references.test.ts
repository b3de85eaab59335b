import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readReference } from './references.ts';

let value = 'old';
const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(JSON.stringify({ Parameter: { Value: value } }));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

it('keeps what was read for all who ask, and asks again for who must know what is there now', async () => {
  const env = { AWS_REGION: 'eu-west-1' };
  expect(await readReference(env)('ssm:/a')).toEqual({ ok: true, value: 'old' });
  value = 'new';
  expect(await readReference(env)('ssm:/a')).toEqual({ ok: true, value: 'old' });
  expect(await readReference(env, { renew: true })('ssm:/a')).toEqual({ ok: true, value: 'new' });
  expect(await readReference(env)('ssm:/a')).toEqual({ ok: true, value: 'new' });
});
