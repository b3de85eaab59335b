/** No answer leaves with a credential of ours in it: conditions, checks and histories quote clouds, proxies and API servers. */
import type { MiddlewareHandler } from 'hono';
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';
import type { HttpEnv } from '../options.ts';

export const withoutSecrets: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  // A stream has no end to wait for; its route does the same to each event.
  if (c.res.body === null || isStream(c.res)) return;
  const text = await c.res.text();
  c.res = new Response(redactSecrets(text), c.res);
};

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;
