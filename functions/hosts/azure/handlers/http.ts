/** All of HTTP: one app behind one catch-all route. */

import { readFileSync } from 'node:fs';
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import { isUnresolvedReference } from '../../../../shared/key-vault-reference.ts';
import { createHttpApp, type HttpFunctions } from '../../../http/app.ts';
import { isAmong } from '../../../http/callers.ts';
import { readiness } from '../../common/ready-checks.ts';
import { exchange } from '../http-exchange.ts';
import { version } from '../package-folder.ts';
import { serve } from '../serve.ts';
import type { AzureWorker } from '../worker.ts';

const apps = new WeakMap<AzureWorker, HttpFunctions>();

export const handleHttp = (
  request: HttpRequest,
  context: InvocationContext,
  durableClient: unknown,
): Promise<HttpResponseInit> =>
  serve(context, durableClient, async (opened) =>
    opened.ok ? exchange(appOf(opened.worker), request) : misconfigured(request, opened.text),
  );

function appOf(worker: AzureWorker): HttpFunctions {
  const known = apps.get(worker);
  if (known) return known;
  const { functions, intake, settings, workflows } = worker;
  const { tokenFile } = settings.config.http;
  const app = createHttpApp({
    services: functions,
    token: () => settings.token ?? (tokenFile === undefined ? undefined : readToken(tokenFile)),
    intake,
    version,
    workflows: {
      list: (query) => workflows().inspection.list(query),
      inspect: (id) => workflows().inspection.inspect(id),
      // Here that is a workflow which the code no longer has: nothing could run it.
      retrySetAside: (id) => Promise.reject(new Error(`workflow ${id} is not known to this version of the app`)),
    },
    ready: () => readiness(functions, { host: { ok: true } }),
  });
  apps.set(worker, app);
  return app;
}

/** At every request, so that it can be rotated. */
function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Alive, not ready, and why: the reason is for the holder of the token, because it names what the configuration holds. */
function misconfigured(request: HttpRequest, text: string): HttpResponseInit {
  const { pathname } = new URL(request.url);
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  if (pathname === '/healthz') return { headers, jsonBody: { status: 'ok', version } };
  const { POOLWRIGHT_HTTP_TOKEN: token = '' } = process.env;
  const shown = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  // The name of a secret is none: whoever can guess a reference that was not followed has no token.
  const isHolder = shown !== undefined && !isUnresolvedReference(token) && isAmong(shown, [token]);
  const hint = 'the configuration can not be used; the log says why, and so does /readyz to the holder of the token';
  const message = isHolder ? text : hint;
  if (pathname === '/readyz') {
    return { status: 503, headers, jsonBody: { ready: false, checks: { configuration: { ok: false, message } } } };
  }
  return {
    status: 503,
    headers: { ...headers, 'content-type': 'application/problem+json', 'retry-after': '60' },
    jsonBody: { type: 'about:blank', title: 'Misconfigured', status: 503, detail: message },
  };
}
