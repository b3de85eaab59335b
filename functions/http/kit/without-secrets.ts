/** No answer leaves with a credential of ours in it: conditions, checks and histories quote clouds, proxies and API servers. */
import type { MiddlewareHandler } from 'hono';
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';
import type { HttpEnv } from '../options.ts';

export const withoutSecrets: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.res.body === null) return;
  const text = await c.res.text();
  c.res = new Response(redactSecrets(text), c.res);
};
