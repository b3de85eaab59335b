/** All of HTTP: one app behind one catch-all route. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import { isUnresolvedReference } from '../../../../shared/platforms/azure/key-vault-reference.ts';
import { createHttpApp, type HttpFunctions } from '../../../http/app.ts';
import { readiness } from '../../common/checks/ready-checks.ts';
import { maxReadyEvents } from '../../common/intake-limit.ts';
import { auditSettings } from '../../common/members.ts';
import { misconfiguredAnswer } from '../../common/misconfigured-answer.ts';
import { version } from '../../common/package-folder.ts';
import { readTokenFile } from '../../common/token-file.ts';
import { workflowAbilities } from '../../common/workflow-abilities.ts';
import { exchangeHttp } from '../http-exchange.ts';
import { logsInApplicationInsights } from '../logs-elsewhere.ts';
import { serve } from '../serve.ts';
import type { AzureWorker } from '../worker.ts';

const apps = new WeakMap<AzureWorker, HttpFunctions>();

export const handleHttp = (
  request: HttpRequest,
  context: InvocationContext,
  durableClient: unknown,
): Promise<HttpResponseInit> =>
  serve(context, durableClient, async (opened) =>
    opened.ok ? exchangeHttp(appOf(opened.worker), request) : misconfigured(request, opened.text),
  );

function appOf(worker: AzureWorker): HttpFunctions {
  const known = apps.get(worker);
  if (known) return known;
  const { functions, intake, members, settings, workflows } = worker;
  const { tokenFile } = settings.config.http;
  const app = createHttpApp({
    services: functions,
    token: () => settings.token ?? (tokenFile === undefined ? undefined : readTokenFile(tokenFile)),
    intake,
    members,
    audit: auditSettings(settings.config),
    version,
    workflows: workflowAbilities(workflows),
    logs: logsInApplicationInsights(process.env, functions.deployment, functions.clock),
    ready: () => readiness(functions, { host: { ok: true } }),
    maxReadyEvents,
  });
  apps.set(worker, app);
  return app;
}

function misconfigured(request: HttpRequest, text: string): HttpResponseInit {
  const { POOLWRIGHT_HTTP_TOKEN: token = '' } = process.env;
  const { status, headers, json } = misconfiguredAnswer({
    path: new URL(request.url).pathname,
    authorization: request.headers.get('authorization') ?? undefined,
    // The name of a secret is none: whoever can guess a reference that was not followed has no token.
    token: isUnresolvedReference(token) ? undefined : token,
    text,
    version,
  });
  return { status, headers, jsonBody: json };
}
