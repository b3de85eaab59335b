/** What EventBridge puts into a queue about machines: the whole envelope, as it comes out as the body of a message. */
import type { Json } from '../../shared/base/json.ts';

export interface EventMessage {
  version: '0';
  id: string;
  'detail-type': string;
  source: string;
  account: string;
  /** To the second. */
  time: string;
  region: string;
  resources: string[];
  detail: { [key: string]: Json };
}

/** Where and when; each message has an id of its own. */
export interface MessageFacts {
  id: string;
  at: number;
  account?: string;
  region?: string;
}

const envelope = (
  { id, at, account = '123456789012', region = 'us-east-1' }: MessageFacts,
  source: string,
  detailType: string,
  resources: (place: string) => string[],
  detail: EventMessage['detail'],
): EventMessage => ({
  version: '0',
  id,
  'detail-type': detailType,
  source,
  account,
  time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
  region,
  resources: resources(`${region}:${account}`),
  detail,
});

/** The name of an instance in these messages; the warning's has no account in it. */
const instanceArn = (instance: string) => (place: string) => [`arn:aws:ec2:${place}:instance/${instance}`];

export const spotWarning = (facts: MessageFacts, instance: string): EventMessage =>
  envelope(
    facts,
    'aws.ec2',
    'EC2 Spot Instance Interruption Warning',
    () => [`arn:aws:ec2:${facts.region ?? 'us-east-1'}:instance/${instance}`],
    { 'instance-id': instance, 'instance-action': 'terminate' },
  );

export const rebalanceRecommendation = (facts: MessageFacts, instance: string): EventMessage =>
  envelope(facts, 'aws.ec2', 'EC2 Instance Rebalance Recommendation', instanceArn(instance), {
    'instance-id': instance,
  });

export const stateChange = (facts: MessageFacts, instance: string, state: string): EventMessage =>
  envelope(facts, 'aws.ec2', 'EC2 Instance State-change Notification', instanceArn(instance), {
    'instance-id': instance,
    state,
  });

/** A maintenance that AWS has planned for these machines. */
export const scheduledChange = (
  facts: MessageFacts,
  instances: readonly string[],
  more: { [key: string]: Json } = {},
): EventMessage =>
  envelope(facts, 'aws.health', 'AWS Health Event', () => [...instances], {
    eventArn: `arn:aws:health:${facts.region ?? 'us-east-1'}::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/${facts.id}`,
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    startTime: new Date(facts.at).toUTCString(),
    endTime: new Date(facts.at + 86_400_000).toUTCString(),
    eventDescription: [
      { language: 'en_US', latestDescription: 'An instance runs on hardware that is scheduled for retirement.' },
    ],
    affectedEntities: instances.map((entityValue) => ({ entityValue, tags: {} })),
    ...more,
  });

export const reservationWarning = (facts: MessageFacts, instance: string): EventMessage =>
  envelope(facts, 'aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', instanceArn(instance), {
    'instance-id': instance,
    'instance-action': 'terminate',
    'instance-termination-time': new Date(facts.at + 120_000).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
