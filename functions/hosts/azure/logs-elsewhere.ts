/** The log of a function app is in Application Insights: by which command its lines are had. */
import type { Environment } from '../../../shared/base/environment.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { type LogQuery, type Logs, logLevels } from '../../http/routes/logs/log-page.ts';

const dayMs = 86_400_000;

export const logsInApplicationInsights = (env: Environment, deployment: string, clock: Clock): Logs => ({
  elsewhere: (query) => {
    const start = new Date(query.since ?? clock.now() - dayMs).toISOString();
    const command = `az monitor app-insights query ${appIn(env, deployment)} --start-time ${start} --end-time ${new Date(clock.now()).toISOString()} --analytics-query "${analyticsQuery(query)}" --query "tables[0].rows[]" --output tsv`;
    return { where: 'Application Insights', command };
  },
});

/** Its connection string tells its id; else it goes by the name that infra/azure gives it. */
function appIn(env: Environment, deployment: string): string {
  const id = /(?:^|;)ApplicationId=([0-9a-f-]{36})(?:;|$)/i.exec(env.APPLICATIONINSIGHTS_CONNECTION_STRING ?? '')?.[1];
  if (id !== undefined) return `--app ${id}`;
  const group = env.WEBSITE_RESOURCE_GROUP;
  return `--app poolwright-${deployment} --resource-group ${group || '<resource group>'}`;
}

/** What stands in it is names, which hold nothing that a shell or the query language would take for its own. */
function analyticsQuery({ cluster, claim, uids, workflow, level, limit }: LogQuery): string {
  const any = [claim, ...uids].filter((one) => one !== undefined).map((one) => `message contains '${one}'`);
  const levels = logLevels.slice(logLevels.indexOf(level)).map((one) => `'${one}'`);
  const conditions = [
    ...(any.length === 0 ? [] : [any.join(' or ')]),
    ...(cluster === undefined ? [] : [`parse_json(message).cluster == '${cluster}'`]),
    ...(workflow === undefined ? [] : [`parse_json(message).workflow == '${workflow}'`]),
    ...(level === 'debug' ? [] : [`parse_json(message).level in (${levels.join(', ')})`]),
  ];
  return [
    'traces',
    ...conditions.map((one) => `where ${one}`),
    `top ${limit} by timestamp desc`,
    'order by timestamp asc',
    'project message',
  ].join(' | ');
}
