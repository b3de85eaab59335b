/**
 * Alarms on what nobody would notice otherwise: messages that were given up, events that wait, functions that fail. They are quiet while there
 * is no data, because an idle deployment has none.
 */
import { attribute, type Cfn, ref } from './cloudformation.ts';
import { type FunctionName, functionResource } from './function-names.ts';
import type { Settings } from './settings.ts';

interface Alarm {
  readonly id: string;
  readonly says: string;
  readonly metric: string;
  readonly namespace: 'AWS/SQS' | 'AWS/Lambda';
  readonly dimension: { readonly Name: string; readonly Value: Cfn };
  readonly statistic: 'Sum' | 'Maximum';
  /** More than this, */
  readonly above: number;
  /** in so many of the last `of` periods. */
  readonly times?: number;
  readonly of?: number;
  readonly periodSeconds?: number;
}

const queueName = (resource: string): Alarm['dimension'] => ({
  Name: 'QueueName',
  Value: attribute(resource, 'QueueName'),
});
const functionName = (name: FunctionName): Alarm['dimension'] => ({
  Name: 'FunctionName',
  Value: ref(functionResource(name)),
});

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
  says: `${name} was refused by Lambda in three of five minutes: the account has no concurrency left, or too little is reserved for it.`,
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
    'Events could not be used. `poolwright deadletters` lists them with reasons.',
  ),
  notEmpty(
    'InterruptionsDeadLettersAlarm',
    'InterruptionsDeadLetters',
    'Interruption notices could not be handled; their claims may not have been drained in time.',
  ),
  notEmpty(
    'WorkflowsDeadLettersAlarm',
    'WorkflowsDeadLetters',
    'Starts of workflows were not delivered. The resync starts them anew; look why `workflows` was throttled.',
  ),
  waiting(
    'EventsWaitAlarm',
    'EventsQueue',
    600,
    'An event has waited for ten minutes. Is a cluster out of reach, or `watch-events` failing?',
  ),
  waiting(
    'InterruptionsWaitAlarm',
    'InterruptionsQueue',
    60,
    'A notice of interruption has waited for a minute of the two that there are.',
  ),
  failing(
    'WatchEventsFailAlarm',
    'watch-events',
    'Events cannot be taken. The resync works without them, once a minute.',
  ),
  failing('WatchInterruptionsFailAlarm', 'watch-interruptions', 'Notices of interruption cannot be taken.'),
  failing('HttpFailAlarm', 'http', 'The HTTP API fails: bridges and webhooks cannot report.'),
  failing('ReconcileFailAlarm', 'reconcile', 'A timer fails: claims may be forgotten until it works again.'),
  failing(
    'CollectGarbageFailAlarm',
    'collect-garbage',
    'Garbage collection fails: instances that nobody wants may stay.',
  ),
  failing('WorkflowsFailAlarm', 'workflows', 'Workflows fail by themselves; the log of `workflows` says why.'),
  failing('StepsFailAlarm', 'steps', 'Steps of workflows fail; they are tried again.'),
  failing('ProvisionEc2FailAlarm', 'provision-ec2', 'The provider of EC2 fails; its log says why.'),
  failing('ProvisionAksFailAlarm', 'provision-aks', 'The provider of AKS fails; its log says why.'),
  failing('ProvisionArcFailAlarm', 'provision-arc', 'The provider of Arc fails; its log says why.'),
  throttled('WatchEventsThrottledAlarm', 'watch-events'),
  throttled('WorkflowsThrottledAlarm', 'workflows'),
  throttled('ReconcileThrottledAlarm', 'reconcile'),
  throttled('ProvisionEc2ThrottledAlarm', 'provision-ec2'),
];

export const alarmsFor = ({ alarmTopicArn, stage }: Settings): Record<string, object> =>
  Object.fromEntries(
    alarms.map(
      ({ id, says, metric, namespace, dimension, statistic, above, times = 1, of = 1, periodSeconds = 60 }) => [
        id,
        {
          Type: 'AWS::CloudWatch::Alarm',
          Properties: {
            AlarmDescription: `Poolwright (${stage}): ${says}`,
            Namespace: namespace,
            MetricName: metric,
            Dimensions: [dimension],
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
      ],
    ),
  );
