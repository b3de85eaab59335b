/** Puts what a caller changes into the audit log. */
import type { Context, Next } from 'hono';
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { Action } from '../../../shared/identity/actions.ts';
import { beginAudit } from '../../../shared/identity/audit.ts';
import type { Member } from '../../../shared/identity/callers.ts';
import type { HttpEnv, HttpOptions } from '../options.ts';

/** As the configuration has them by default. */
const defaults = { keepSeconds: 90 * 86_400, max: 1000 };

export async function audited(
  c: Context<HttpEnv>,
  next: Next,
  { services, audit = defaults }: HttpOptions,
  by: Member,
  action: Action,
): Promise<void> {
  const entry = await beginAudit(services, audit, { by, action, path: readable(c.req.path) });
  await next();
  const given = givenIn(c);
  // Both change nothing. That shows only now: the route has read its body.
  const isDryRun = (given.dryRun === true || given.dryRun === 'true') && c.res.ok;
  const isRefused = c.res.status >= 400 && c.res.status < 500;
  if (isDryRun || isRefused) return entry.forget();
  await entry.end({ status: c.res.status, given, answer: await answerOf(c.res) });
}

/** What the route took from the body, and the query. */
function givenIn(c: Context): { [key: string]: Json } {
  const body: unknown = c.get('json');
  return { ...(isObject(body as Json) ? (body as { [key: string]: Json }) : {}), ...c.req.query() };
}

async function answerOf(response: Response): Promise<Json | undefined> {
  try {
    return (await response.clone().json()) as Json;
  } catch {
    return undefined;
  }
}

/** The ids of workflows have slashes, which travel encoded. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
