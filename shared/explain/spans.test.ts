import { expect, test } from 'vitest';
import { traceSpans } from './spans.ts';

const decisions = [
  { at: 10, step: 'choose', text: 'chosen', detail: { began: { event: 'e-1', observedBy: 'bridge', at: 5 } } },
  {
    at: 40,
    step: 'create',
    text: 'begun',
    detail: { provider: 'sim', call: 'beginCreate', answer: 'begun', ms: 20, said: 'r-1' },
  },
];
const stages = [
  { name: 'made', at: 5 },
  { name: 'chosen', at: 10 },
  { name: 'ready', at: 60 },
];
const launch = { id: 'l', workflow: 'launch', status: 'running', startedAt: 8, waitingFor: 'call choose' };

test('without a history the steps are told from the decisions', () => {
  expect(traceSpans({ decisions, stages }, [launch], 70)).toEqual([
    { kind: 'stage', name: 'made', from: 5, to: 5 },
    { kind: 'event', name: 'seen by the watch', from: 5, to: 8, note: 'event e-1 begins launch' },
    { kind: 'wait', name: 'launch: now', from: 8, to: 70, note: 'call choose' },
    { kind: 'decision', name: 'choose', from: 10, to: 10, note: 'chosen' },
    { kind: 'decision', name: 'create', from: 10, to: 40, note: 'begun' },
    { kind: 'call', name: 'sim beginCreate', from: 20, to: 40, note: 'begun (r-1)' },
    { kind: 'stage', name: 'ready', from: 60, to: 60 },
  ]);
});

test('with a history each step took from the one before, and waits are told apart', () => {
  const history = [
    { command: 'call choose', ok: true, value: { do: 'begin' }, at: 20 },
    { command: 'poll pollCreate', ok: false, error: 'lost', at: 50 },
  ];

  const spans = traceSpans({ decisions: [], stages: [] }, [{ ...launch, status: 'completed', history }], 70);

  expect(spans).toEqual([
    { kind: 'step', name: 'launch: call choose', from: 8, to: 20, note: 'begin' },
    { kind: 'wait', name: 'launch: poll pollCreate', from: 20, to: 50, note: 'failed: lost' },
  ]);
});
