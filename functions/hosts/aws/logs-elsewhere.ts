/** The log of the functions is in CloudWatch, a group for each: by which command its lines are had. */
import type { Environment } from '../../../shared/base/environment.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { type LogQuery, type Logs, logLevels } from '../../http/routes/logs/log-page.ts';

const dayMs = 86_400_000;

export const logsInCloudWatch = (env: Environment, clock: Clock): Logs => ({
  elsewhere: (query) => {
    const region = `--region ${env.AWS_REGION || '<region>'}`;
    const groups = `aws logs describe-log-groups ${region} --log-group-name-prefix ${prefixIn(env)} --query "logGroups[].logGroupName" --output text`;
    const start = query.since ?? clock.now() - dayMs;
    const pattern = patternOf(query);
    const filter = pattern === '' ? '' : ` --filter-pattern '${pattern}'`;
    const events = `aws logs filter-log-events ${region} --log-group-name "$group" --start-time ${Math.floor(start)}${filter} --query "events[].[message]" --output text`;
    return { where: 'CloudWatch', command: `for group in $(${groups}); do ${events}; done` };
  },
});

/** `/aws/lambda/poolwright-main-`: this is one of its functions, and they are called alike. */
function prefixIn(env: Environment): string {
  const group = env.AWS_LAMBDA_LOG_GROUP_NAME || `/aws/lambda/${env.AWS_LAMBDA_FUNCTION_NAME || 'poolwright-'}`;
  return group.replace(/[^-/]*$/, '');
}

/** Lines are JSON, so a filter can ask for fields. What stands in it is names, which hold nothing that a shell takes for its own. */
function patternOf({ cluster, claim, uids, workflow, level }: LogQuery): string {
  const either = [...(claim === undefined ? [] : [`$.claim = "${claim}"`]), ...uids.map((uid) => `$.uid = "${uid}"`)];
  const levels = logLevels.slice(logLevels.indexOf(level)).map((one) => `$.level = "${one}"`);
  const all = [
    ...(either.length === 0 ? [] : [`(${either.join(' || ')})`]),
    ...(cluster === undefined ? [] : [`($.cluster = "${cluster}")`]),
    ...(workflow === undefined ? [] : [`($.workflow = "${workflow}")`]),
    ...(level === 'debug' ? [] : [`(${levels.join(' || ')})`]),
  ];
  return all.length === 0 ? '' : `{ ${all.join(' && ')} }`;
}
