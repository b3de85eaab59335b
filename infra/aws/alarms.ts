/**
 * Alarms on what nobody would notice otherwise: messages that were given up, events that wait, functions that fail, and what a function that
 * works can only say in its log. They are quiet while there is no data, because an idle deployment has none.
 */
import type { LogEventId } from '../../shared/observe/log/events.ts';
import { attribute, type Cfn, ref } from '../../shared/platforms/aws/cloudformation.ts';
import {
  type FunctionName,
  functionResource,
  logGroupResource,
  provisionFunctions,
  roleResource,
} from './function-names.ts';
import type { Settings } from './settings.ts';

type Dimension = { readonly Name: string; readonly Value: Cfn };

interface Alarm {
  readonly id: string;
  readonly says: string;
  readonly metric: string;
  readonly namespace: string;
  readonly dimension?: Dimension;
  readonly statistic: 'Sum' | 'Maximum';
  /** More than this, */
  readonly above: number;
  /** in so many of the last `of` periods. */
  readonly times?: number;
  readonly of?: number;
  readonly periodSeconds?: number;
}

const queueName = (resource: string): Dimension => ({
  Name: 'QueueName',
  Value: attribute(resource, 'QueueName'),
});
const functionName = (name: FunctionName): Dimension => ({
  Name: 'FunctionName',
  Value: ref(functionResource(name)),
});

/** `ProvisionEc2`. */
const alarmName = (name: FunctionName): string => roleResource(name).replace(/Role$/, '');

const notEmpty = (id: string, resource: string, says: string): Alarm => ({
  id,
  says,
  namespace: 'AWS/SQS',
  metric: 'ApproximateNumberOfMessagesVisible',
  dimension: queueName(resource),
  statistic: 'Maximum',
  above: 0,
});

const waiting = (id: string, resource: string, above: number, says: string): Alarm => ({
  id,
  says,
  namespace: 'AWS/SQS',
  metric: 'ApproximateAgeOfOldestMessage',
  dimension: queueName(resource),
  statistic: 'Maximum',
  above,
});

/** One failure is tried again by somebody; failures in three of five minutes are not going away by themselves. */
const failing = (id: string, name: FunctionName, says: string): Alarm => ({
  id,
  says,
  namespace: 'AWS/Lambda',
  metric: 'Errors',
  dimension: functionName(name),
  statistic: 'Sum',
  above: 0,
  times: 3,
  of: 5,
});

const throttled = (id: string, name: FunctionName): Alarm => ({
  id,
  says: `${name} was throttled by Lambda in three of five minutes: the account has no concurrency left, or too little is reserved for this function.`,
  namespace: 'AWS/Lambda',
  metric: 'Throttles',
  dimension: functionName(name),
  statistic: 'Sum',
  above: 0,
  times: 3,
  of: 5,
});

const alarms: readonly Alarm[] = [
  notEmpty(
    'EventsDeadLettersAlarm',
    'EventsDeadLetters',
    'Events were dead-lettered. `poolwright deadletters` lists them with their reasons.',
  ),
  notEmpty(
    'InterruptionsDeadLettersAlarm',
    'InterruptionsDeadLetters',
    'Interruption notices were dead-lettered; their claims may not have been drained in time.',
  ),
  notEmpty(
    'WorkflowsDeadLettersAlarm',
    'WorkflowsDeadLetters',
    'Requests to start workflows were not delivered. The resync starts them again; check why `workflows` was throttled.',
  ),
  waiting(
    'EventsWaitAlarm',
    'EventsQueue',
    600,
    'An event has been in the queue for ten minutes. Check whether a cluster is unreachable or `watch-events` fails.',
  ),
  waiting(
    'InterruptionsWaitAlarm',
    'InterruptionsQueue',
    60,
    'An interruption notice has been in the queue for one of the two minutes that EC2 gives.',
  ),
  failing('WatchEventsFailAlarm', 'watch-events', 'Events are not processed. The resync still runs once a minute.'),
  failing('WatchInterruptionsFailAlarm', 'watch-interruptions', 'Interruption notices are not processed.'),
  failing('HttpFailAlarm', 'http', 'The HTTP API fails: bridges and webhooks cannot report.'),
  failing('ReconcileFailAlarm', 'reconcile', 'A timer fails: some claims may make no progress until it works again.'),
  failing(
    'CollectGarbageFailAlarm',
    'collect-garbage',
    'Garbage collection fails: orphaned instances may keep running.',
  ),
  failing('WorkflowsFailAlarm', 'workflows', 'The function `workflows` itself fails; its log says why.'),
  failing('StepsFailAlarm', 'steps', 'Steps of workflows fail; Poolwright retries them.'),
  ...provisionFunctions.map((name) =>
    failing(`${alarmName(name)}FailAlarm`, name, `The function ${name} fails; its log says why.`),
  ),
  throttled('WatchEventsThrottledAlarm', 'watch-events'),
  throttled('WorkflowsThrottledAlarm', 'workflows'),
  throttled('ReconcileThrottledAlarm', 'reconcile'),
  ...provisionFunctions.map((name) => throttled(`${alarmName(name)}ThrottledAlarm`, name)),
];

/** A line of a log that rings. */
interface Said {
  readonly id: string;
  readonly event: LogEventId;
  readonly by: FunctionName;
  /** Which of these lines count, in the words of CloudWatch; all of them when absent. */
  readonly where?: string;
  readonly timer: keyof Settings['timerMinutes'];
  /** In so many periods in a row. */
  readonly times: number;
  readonly says: string;
}

const lines: readonly Said[] = [
  {
    id: 'GarbageStoppedAlarm',
    event: 'garbage.stopped',
    by: 'collect-garbage',
    timer: 'garbage-collection',
    times: 1,
    says: 'More instances have no claim than may be deleted in one run, so garbage collection deleted none. Find the cause before you raise the limit.',
  },
  {
    id: 'GarbageUndecidedAlarm',
    event: 'garbage.undecided',
    by: 'collect-garbage',
    // Where another deployment acts, it is that one's garbage.
    where: '$.reason NOT EXISTS',
    timer: 'garbage-collection',
    times: 3,
    says: 'Garbage collection cannot decide and deletes nothing: a cloud or a cluster does not answer.',
  },
  {
    id: 'ResyncFailedAlarm',
    event: 'resync.failed',
    by: 'reconcile',
    timer: 'resync',
    times: 3,
    says: 'The claims of a cluster cannot be listed: changes without an event are not detected.',
  },
  {
    id: 'OwnerReadOnlyAlarm',
    event: 'owner.read-only',
    by: 'reconcile',
    timer: 'resync',
    times: 1,
    says: 'This deployment is read-only for a cluster: another one acts, or a permission or CRD is missing. `poolwright clusters` says why.',
  },
  {
    id: 'ClusterUnreachableAlarm',
    event: 'cluster.unreachable',
    by: 'reconcile',
    timer: 'resync',
    times: 1,
    says: 'A cluster does not answer. `poolwright doctor` says why.',
  },
];

/** No shorter than two runs of the timer, so that an alarm does not end between them; and no longer than CloudWatch takes. */
const periodOf = (minutes: number): number => 60 * Math.min(Math.max(5, 2 * minutes), 24 * 60);

/** Without a default value: a metric costs money in the hours in which it has one. */
function linesFor({ stage, timerMinutes }: Settings): { filters: Record<string, object>; alarms: readonly Alarm[] } {
  const namespace = `Poolwright/${stage}`;
  const filters = lines.map(({ id, event, by, where }) => [
    id.replace(/Alarm$/, 'Filter'),
    {
      Type: 'AWS::Logs::MetricFilter',
      Properties: {
        LogGroupName: ref(logGroupResource(by)),
        FilterPattern: `{ $.event = "${event}"${where === undefined ? '' : ` && ${where}`} }`,
        MetricTransformations: [{ MetricNamespace: namespace, MetricName: event, MetricValue: '1' }],
      },
    },
  ]);
  const alarms = lines.map(({ id, event, timer, times, says }) => ({
    id,
    says,
    namespace,
    metric: event,
    statistic: 'Sum' as const,
    above: 0,
    times,
    of: times,
    periodSeconds: periodOf(timerMinutes[timer]),
  }));
  return { filters: Object.fromEntries(filters), alarms };
}

export function alarmsFor(settings: Settings): Record<string, object> {
  const said = linesFor(settings);
  return { ...said.filters, ...resourcesOf([...alarms, ...said.alarms], settings) };
}

const resourcesOf = (all: readonly Alarm[], { alarmTopicArn, stage }: Settings): Record<string, object> =>
  Object.fromEntries(
    all.map(({ id, says, metric, namespace, dimension, statistic, above, times = 1, of = 1, periodSeconds = 60 }) => [
      id,
      {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: {
          AlarmDescription: `Poolwright (${stage}): ${says}`,
          Namespace: namespace,
          MetricName: metric,
          ...(dimension === undefined ? {} : { Dimensions: [dimension] }),
          Statistic: statistic,
          Period: periodSeconds,
          EvaluationPeriods: of,
          DatapointsToAlarm: times,
          Threshold: above,
          ComparisonOperator: 'GreaterThanThreshold',
          TreatMissingData: 'notBreaching',
          ...(alarmTopicArn === undefined ? {} : { AlarmActions: [alarmTopicArn], OKActions: [alarmTopicArn] }),
        },
      },
    ]),
  );
