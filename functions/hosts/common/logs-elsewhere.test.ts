import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { LogQuery, Logs } from '../../http/routes/logs/log-page.ts';
import { logsInCloudWatch } from '../aws/logs-elsewhere.ts';
import { logsInApplicationInsights } from '../azure/logs-elsewhere.ts';

const clock = manualClock();
const some: LogQuery = { claim: 'web-1', uids: ['u-1'], cluster: 'east', level: 'warn', limit: 200 };
const all: LogQuery = { uids: [], level: 'debug', limit: 200, since: clock.now() - 3_600_000 };

function commandOf(logs: Logs, query: LogQuery): string {
  if (!('elsewhere' in logs)) throw new Error('it keeps them itself');
  return logs.elsewhere(query).command;
}

/** The shell takes it as it stands. */
const isShell = (command: string): void => void execFileSync('bash', ['-n', '-c', command]);

describe('the command for the log', () => {
  it('of a function app names its Application Insights by id', () => {
    const id = '11111111-2222-3333-4444-555555555555';
    const env = { APPLICATIONINSIGHTS_CONNECTION_STRING: `InstrumentationKey=${'0'.repeat(36)};ApplicationId=${id}` };
    const command = commandOf(logsInApplicationInsights(env, 'office', clock), some);

    isShell(command);
    expect(command).toMatchInlineSnapshot(
      `"az monitor app-insights query --app 11111111-2222-3333-4444-555555555555 --start-time 2025-12-31T00:00:00.000Z --end-time 2026-01-01T00:00:00.000Z --analytics-query "traces | where message contains 'web-1' or message contains 'u-1' | where parse_json(message).cluster == 'east' | where parse_json(message).level in ('warn', 'error') | top 200 by timestamp desc | order by timestamp asc | project message" --query "tables[0].rows[]" --output tsv"`,
    );
    expect(command).not.toContain('InstrumentationKey');
  });

  it('of a function app whose id is not known names it as infra/azure does', () => {
    const command = commandOf(logsInApplicationInsights({ WEBSITE_RESOURCE_GROUP: 'rg' }, 'office', clock), all);

    isShell(command);
    expect(command).toMatchInlineSnapshot(
      `"az monitor app-insights query --app poolwright-office --resource-group rg --start-time 2025-12-31T23:00:00.000Z --end-time 2026-01-01T00:00:00.000Z --analytics-query "traces | top 200 by timestamp desc | order by timestamp asc | project message" --query "tables[0].rows[]" --output tsv"`,
    );
  });

  it('of functions on AWS asks every group of the deployment', () => {
    const env = { AWS_REGION: 'eu-west-1', AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/poolwright-main-http' };
    const logs = logsInCloudWatch(env, clock);

    isShell(commandOf(logs, some));
    expect(commandOf(logs, some)).toMatchInlineSnapshot(
      `"for group in $(aws logs describe-log-groups --region eu-west-1 --log-group-name-prefix /aws/lambda/poolwright-main- --query "logGroups[].logGroupName" --output text); do aws logs filter-log-events --region eu-west-1 --log-group-name "$group" --start-time 1767139200000 --filter-pattern '{ ($.claim = "web-1" || $.uid = "u-1") && ($.cluster = "east") && ($.level = "warn" || $.level = "error") }' --query "events[].[message]" --output text; done"`,
    );
    expect(commandOf(logs, all)).toMatchInlineSnapshot(
      `"for group in $(aws logs describe-log-groups --region eu-west-1 --log-group-name-prefix /aws/lambda/poolwright-main- --query "logGroups[].logGroupName" --output text); do aws logs filter-log-events --region eu-west-1 --log-group-name "$group" --start-time 1767222000000 --query "events[].[message]" --output text; done"`,
    );
  });

  it('of functions on AWS is found by the name of this one where the group is not told', () => {
    const env = { AWS_REGION: 'eu-west-1', AWS_LAMBDA_FUNCTION_NAME: 'poolwright-main-http' };
    expect(commandOf(logsInCloudWatch(env, clock), all)).toContain(
      '--log-group-name-prefix /aws/lambda/poolwright-main- ',
    );
  });
});
