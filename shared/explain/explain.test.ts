import { expect, test } from 'vitest';
import { answerOf } from './answer.ts';
import type { ClusterView, ShownClaim } from './cluster-view.ts';
import { explain, type HostKnowledge, type Known } from './explain.ts';

const now = Date.parse('2026-03-04T12:00:00Z');
const time = (seconds: number): string => new Date(now + seconds * 1000).toISOString();

const claim: ShownClaim = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'web', uid: 'u-1', resourceVersion: '1', creationTimestamp: time(-60) },
  spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] },
};
const view: ClusterView = { claim, events: [] };

const host = (more: Partial<HostKnowledge> = {}): HostKnowledge => ({
  decisions: [],
  standing: { acts: true },
  pauses: [],
  workflows: [],
  deadLetters: [],
  ...more,
});

const launch = { id: 'east/u-1/launch/1', workflow: 'launch', status: 'running', startedAt: now - 5000 };

const answered = (known: Known) => answerOf({ name: 'web', uid: 'u-1' }, known, explain(known), { workflows: [] });

test('a workflow that runs says what it waits for, in words and with the time', () => {
  const waiting = { command: 'poll', name: 'pollCreate', until: now + 8000 };
  const known: Known = { cluster: 'east', now, view, host: host({ workflows: [{ ...launch, waiting }] }) };

  expect(explain(known).waits).toEqual([
    {
      workflow: 'launch',
      since: now - 5000,
      text: 'waiting for the provider (pollCreate); it checks again at 12:00:08',
      until: now + 8000,
    },
  ]);
});

test('what an engine does not tell is left out', () => {
  const known: Known = { cluster: 'east', now, view, host: host({ workflows: [launch] }) };
  expect(explain(known).waits).toEqual([{ workflow: 'launch', since: now - 5000 }]);
});

test('what began it is known by the workflow where the decision is gone', () => {
  const input = { cause: { event: 'e-1', observedBy: 'webhook', at: now - 6000 } };
  const known: Known = { cluster: 'east', now, view, host: host({ workflows: [{ ...launch, input }] }) };

  expect(explain(known).began).toEqual({ workflow: 'launch', event: 'e-1', observedBy: 'webhook', at: now - 6000 });
});

test('decisions of an older version are shown as they are kept, and lead to the same stages', () => {
  const old = { at: now - 1000, step: 'ready', text: 'node n is ready' };
  const known: Known = { cluster: 'east', now, view, host: host({ decisions: [old] }) };

  const { decisions, stages } = explain(known);

  expect(decisions).toEqual([old]);
  expect(stages).toEqual([
    { name: 'made', at: now - 60_000, whole: true },
    { name: 'ready', at: now - 1000 },
  ]);
});

test('the answer is plain JSON with times that people can read', () => {
  const deadLetters = [{ id: '7', reason: 'no JSON', at: now - 2000 }];
  const answer = answered({ cluster: 'east', now, view, host: host({ deadLetters }) });

  expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  expect(answer).toMatchObject({
    now: time(0),
    diagnosis: { code: 'DeadLettered', since: time(-2), fix: expect.stringContaining('replay 7') },
    stages: [{ name: 'made', at: time(-60), whole: true }],
    deadLetters: [{ id: '7', reason: 'no JSON', at: time(-2) }],
    standing: { acts: true },
  });
});

test('without a host the cluster alone is explained, and nothing is said in the name of a host', () => {
  const answer = answered({ cluster: 'east', now, view });

  expect(answer.diagnosis.code).toBe('HostUnreachable');
  expect(answer).not.toHaveProperty('standing');
});

test('a claim that the cluster does not have is gone; one that nobody could read is unknown', () => {
  expect(answered({ cluster: 'east', now, view: { claim: undefined, events: [] } }).diagnosis.state).toBe('gone');
  expect(answered({ cluster: 'east', now, host: host() }).diagnosis.state).toBe('unknown');
});
