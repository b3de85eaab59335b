import { Hono } from 'hono';
import { afterEach, expect, it } from 'vitest';
import { forgetSecrets, rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';
import type { HttpEnv } from '../options.ts';
import { withoutSecrets } from './without-secrets.ts';

afterEach(forgetSecrets);

it('no answer leaves with a credential, whatever put it there, and its status and headers stay', async () => {
  const secret = 'fake-token-of-a-cluster-0123456789';
  rememberSecret(secret);
  const app = new Hono<HttpEnv>();
  app.use(withoutSecrets);
  app.get('/', (c) => c.json({ problem: `refused: ${secret}` }, 503, { 'retry-after': '5' }));
  const answer = await app.request('/');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(await answer.text()).toBe('{"problem":"refused: [redacted]"}');
});
