/** All of HTTP: one app behind one catch-all route. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { LambdaInspection } from '../../../../shared/workflow/lambda-durable/inspection.ts';
import { createHttpApp, type HttpFunctions } from '../../../http/app.ts';
import { answerSeconds } from '../../../questions/provider-questions.ts';
import { readiness } from '../../common/checks/ready-checks.ts';
import { maxReadyEvents } from '../../common/intake-limit.ts';
import { auditSettings } from '../../common/members.ts';
import { misconfiguredAnswer } from '../../common/misconfigured-answer.ts';
import { version } from '../../common/package-folder.ts';
import { workflowAbilities } from '../../common/workflow-abilities.ts';
import { framed } from '../frame.ts';
import { exchangeHttp, pathOf } from '../http-exchange.ts';
import { httpToken } from '../http-token.ts';
import { lambdaInvoke } from '../lambda-service.ts';
import { logsInCloudWatch } from '../logs-elsewhere.ts';
import { questionsToFunctions } from '../provider-questions.ts';
import type { AwsWorker } from '../worker.ts';

const apps = new WeakMap<AwsWorker, HttpFunctions>();
let token: string | undefined;

export const handleHttp = framed(
  'all',
  async (event: APIGatewayProxyEventV2, { opened }): Promise<APIGatewayProxyStructuredResultV2> => {
    // Before the app is asked: a token may be a secret that has to be fetched.
    token = await httpToken(process.env, opened.ok ? opened.worker.settings.config.http.tokenFile : undefined);
    return opened.ok ? exchangeHttp(appOf(opened.worker), event) : misconfigured(event, opened.text);
  },
);

function appOf(worker: AwsWorker): HttpFunctions {
  const known = apps.get(worker);
  if (known) return known;
  const { functions, intake, members, workflows, resources, settings } = worker;
  const { client, api } = workflows;
  const inspection = new LambdaInspection(api, client);
  const app = createHttpApp({
    services: functions,
    token: () => token,
    intake,
    members,
    audit: auditSettings(settings.config),
    version,
    workflows: workflowAbilities(() => ({ inspection, client })),
    logs: logsInCloudWatch(process.env, functions.clock),
    questions: questionsToFunctions({
      resources,
      typeOf: (provider) => settings.config.providers[provider]?.type,
      invoke: lambdaInvoke(resources.region, process.env, answerSeconds * 1000),
    }),
    ready: () => readiness(functions, { host: { ok: true } }),
    maxReadyEvents,
  });
  apps.set(worker, app);
  return app;
}

function misconfigured(event: APIGatewayProxyEventV2, text: string): APIGatewayProxyStructuredResultV2 {
  const { authorization } = event.headers;
  const { status, headers, json } = misconfiguredAnswer({ path: pathOf(event), authorization, token, text, version });
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
    isBase64Encoded: false,
  };
}
