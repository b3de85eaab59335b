import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  rebalanceRecommendation,
  reservationWarning,
  scheduledChange,
  spotWarning,
  stateChange,
} from '../sim/aws/event-messages.ts';
import { parseEventBridge } from './event-bridge.ts';

const facts = { id: 'm-1', at: Date.parse('2026-01-01T12:00:00Z') };
const id = 'i-0123456789abcdef0';
const parse = (message: unknown) => parseEventBridge(JSON.stringify(message));

describe('each message about machines', () => {
  it.each([
    ['spot_interrupted', spotWarning(facts, id)],
    ['rebalance_recommendation', rebalanceRecommendation(facts, id)],
    ['capacity_reservation_interrupted', reservationWarning(facts, id)],
    ['instance_stopped', stateChange(facts, id, 'stopping')],
    ['instance_stopped', stateChange(facts, id, 'stopped')],
    ['instance_terminated', stateChange(facts, id, 'shutting-down')],
    ['instance_terminated', stateChange(facts, id, 'terminated')],
    ['scheduled_change', scheduledChange(facts, [id])],
  ])('%s is read with its instance and its time', (kind, message) => {
    expect(parse(message)).toMatchObject({ is: 'interruption', message: { kind, instances: [id], at: facts.at } });
  });

  it('names all machines of a notice of AWS Health, once each, and nothing that is no machine', () => {
    const parsed = parse(scheduledChange(facts, [id, 'vol-1', 'i-2', id, '']));
    expect(parsed).toMatchObject({ message: { instances: [id, 'i-2'] } });
  });
});

describe('a message about something else', () => {
  it.each([
    ['an ordinary state', stateChange(facts, id, 'running')],
    ['another detail-type', { ...spotWarning(facts, id), 'detail-type': 'EC2 Fleet Event' }],
    ['another source', { ...spotWarning(facts, id), source: 'my.app' }],
    ['another version', { ...spotWarning(facts, id), version: '1' }],
    ['a source that objects have by themselves', { ...spotWarning(facts, id), source: 'constructor' }],
    ['health of another service', scheduledChange(facts, [id], { service: 'RDS' })],
    ['health that is no change', scheduledChange(facts, [id], { eventTypeCategory: 'issue' })],
  ])('is told apart: %s', (_, message) => {
    expect(parse(message)).toMatchObject({ is: 'other' });
  });
});

describe('what can not be read', () => {
  it.each([
    ['not JSON', '{', /not JSON/],
    ['empty', '', /not JSON/],
    ['a list', '[]', /not a JSON object/],
    ['no envelope', '{"hello":"world"}', /no envelope/],
    ['no detail', JSON.stringify({ ...spotWarning(facts, id), detail: null }), /detail is missing/],
    ['no instance', JSON.stringify({ ...spotWarning(facts, id), detail: {} }), /instance-id/],
    ['no state', JSON.stringify({ ...stateChange(facts, id, 'x'), detail: { 'instance-id': id } }), /state is missing/],
    ['no entities', JSON.stringify(scheduledChange(facts, [], { affectedEntities: 'all' })), /not a list/],
  ])('comes back with the problem: %s', (_, body, problem) => {
    expect(parseEventBridge(body)).toEqual({ is: 'malformed', problem: expect.stringMatching(problem) });
  });

  it('a time that is none leaves the message as it is', () => {
    const parsed = parse({ ...spotWarning(facts, id), time: 'soon' });
    expect(parsed).toMatchObject({ is: 'interruption' });
    expect(parsed).not.toHaveProperty('message.at');
  });
});

it('never throws, whatever comes', () => {
  const envelope = fc.record({
    version: fc.constantFrom('0', '1'),
    source: fc.constantFrom('aws.ec2', 'aws.health'),
    'detail-type': fc.constantFrom('EC2 Instance State-change Notification', 'AWS Health Event'),
    detail: fc.oneof(
      fc.jsonValue(),
      fc.record({
        service: fc.constant('EC2'),
        eventTypeCategory: fc.constant('scheduledChange'),
        affectedEntities: fc.jsonValue(),
      }),
      fc.record({ 'instance-id': fc.jsonValue(), state: fc.jsonValue() }),
    ),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        envelope.map((one) => JSON.stringify(one)),
      ),
      (body) => {
        expect(['interruption', 'other', 'malformed']).toContain(parseEventBridge(body).is);
      },
    ),
  );
});
