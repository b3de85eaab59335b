/**
 * What EventBridge says about machines of EC2, in its own envelope. It is read by three fields together (version, source and
 * detail-type); whatever has others is nothing to us, and EventBridge sends plenty of that. What is not even an envelope is
 * told apart, because somebody else writes to our queue then.
 */

import { isObject } from '../shared/base/json.ts';
import type { InterruptionKind } from '../shared/nodes/claims/interruption-rules.ts';

export interface InterruptionMessage {
  kind: InterruptionKind;
  instances: string[];
  /** When the cloud said it, in milliseconds; absent where that can't be read. */
  at?: number;
  /** In words, for Events and logs. */
  reason: string;
}

export type ParsedMessage =
  | { is: 'interruption'; message: InterruptionMessage }
  /** A sound message about something else. */
  | { is: 'other'; at?: number }
  | { is: 'malformed'; problem: string };

type Fields = { readonly [key: string]: unknown };
type Reading = Omit<InterruptionMessage, 'at'> | undefined | { problem: string };

/** One notice of AWS Health names a few machines; this is only a bound. */
const maxInstances = 2000;
/** What has another shape is a volume, a host, or a mistake, and never a machine of ours. */
const instanceId = /^i-[0-9a-z-]{1,60}$/;

export function parseEventBridge(body: string): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { is: 'malformed', problem: 'the message is not JSON' };
  }
  if (!isObject(value)) return { is: 'malformed', problem: 'the message is not a JSON object' };
  const { version, source, detail, time } = value;
  const detailType = value['detail-type'];
  if (typeof version !== 'string' || typeof source !== 'string' || typeof detailType !== 'string') {
    return {
      is: 'malformed',
      problem: 'the message is no envelope of EventBridge: it needs version, source and detail-type',
    };
  }
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  const when = Number.isFinite(at) ? { at } : {};
  const key = `${version} ${source} ${detailType}`;
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
  if (read === undefined) return { is: 'other', ...when };
  if (!isObject(detail)) return { is: 'malformed', problem: `${detailType}: detail is missing` };
  const reading = read(detail);
  if (reading === undefined) return { is: 'other', ...when };
  if ('problem' in reading) return { is: 'malformed', problem: `${detailType}: ${reading.problem}` };
  return { is: 'interruption', message: { ...reading, ...when } };
}

const readers: Readonly<Record<string, (detail: Fields) => Reading>> = {
  '0 aws.ec2 EC2 Spot Instance Interruption Warning': (detail) =>
    ofOne(detail, 'spot_interrupted', 'the cloud takes the spot instance back'),
  '0 aws.ec2 EC2 Instance Rebalance Recommendation': (detail) =>
    ofOne(detail, 'rebalance_recommendation', 'the spot instance is at a higher risk of being taken back'),
  '0 aws.ec2 EC2 Capacity Reservation Instance Interruption Warning': (detail) =>
    ofOne(detail, 'capacity_reservation_interrupted', 'the capacity reservation of the instance is taken back'),
  '0 aws.ec2 EC2 Instance State-change Notification': (detail) => {
    const { state } = detail;
    if (typeof state !== 'string') return { problem: 'detail.state is missing' };
    const kind = ending.get(state);
    return kind && ofOne(detail, kind, `the instance is ${state}`);
  },
  '0 aws.health AWS Health Event': (detail) => {
    if (detail.service !== 'EC2' || detail.eventTypeCategory !== 'scheduledChange') return undefined;
    const { affectedEntities, eventTypeCode } = detail;
    if (!Array.isArray(affectedEntities)) return { problem: 'detail.affectedEntities is not a list' };
    const values = affectedEntities.map((entity: unknown) => (isObject(entity) ? entity.entityValue : undefined));
    const instances = [...new Set(values.filter(isInstance))].slice(0, maxInstances);
    const what = typeof eventTypeCode === 'string' ? `: ${eventTypeCode.slice(0, 200)}` : '';
    return { kind: 'scheduled_change', instances, reason: `the cloud has scheduled a change of the instance${what}` };
  },
};

/** Other states (pending, running) are a machine's ordinary way. */
const ending: ReadonlyMap<string, InterruptionKind> = new Map([
  ['stopping', 'instance_stopped'],
  ['stopped', 'instance_stopped'],
  ['shutting-down', 'instance_terminated'],
  ['terminated', 'instance_terminated'],
]);

function ofOne(detail: Fields, kind: InterruptionKind, reason: string): Reading {
  const id = detail['instance-id'];
  if (!isInstance(id)) return { problem: 'detail.instance-id is not the id of an instance' };
  return { kind, instances: [id], reason };
}

const isInstance = (value: unknown): value is string => typeof value === 'string' && instanceId.test(value);
