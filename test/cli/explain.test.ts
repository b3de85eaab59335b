import { expect, test } from 'vitest';
import { type Apart, knownFrom } from '../../cli/commands/explain/facts.ts';
import type { HostView } from '../../cli/commands/explain/host-view.ts';
import { renderClaim as tell } from '../../cli/commands/explain/render-claim.ts';
import { answerOf } from '../../shared/explain/answer.ts';
import { explain } from '../../shared/explain/explain.ts';
import {
  type DecisionCode,
  decisionCatalog,
  decisionText,
  type FieldsOf,
} from '../../shared/nodes/steps/report/decision-catalog.ts';

const at = (second: number): string => `2026-03-04T05:06:${String(second).padStart(2, '0')}.000Z`;

const waiting: HostView = {
  cluster: 'sim',
  name: 'web',
  uid: 'u-1',
  now: at(5),
  standing: { acts: true },
  decisions: [
    {
      at: at(1),
      step: 'choose',
      text: 'attempt 1: small in zone-a, spot, 0.1 per hour',
      detail: {
        candidates: ['small in zone-a, 0.1 per hour', 'b, 0.15 per hour', 'c', 'd', 'e'],
        prices: [0.1, 0.15, null, null, null],
        rejections: ['tiny: cpu: 2 requested, 1 available'],
      },
    },
    {
      at: at(2),
      step: 'create',
      text: 'attempt 1: small is being created, which takes a while in this cloud',
      detail: { provider: 'sim', call: 'beginCreate', answer: 'begun', ms: 12 },
    },
  ],
  workflows: [
    {
      id: 'sim/u-1/launch/7',
      workflow: 'launch',
      status: 'running',
      startedAt: at(1),
      waitingFor: `poll pollCreate until ${at(9)}`,
    },
  ],
  pauses: [{ kind: 'provider', name: 'sim', setBy: 'request', why: 'out of money' }],
};

function told(host: HostView, all: boolean, width: number, columns?: number): string {
  const apart: Apart = {
    clusterName: 'sim',
    now: Date.parse(host.now),
    cluster: {
      claim: {
        metadata: { name: 'web', uid: 'u-1', resourceVersion: '1', creationTimestamp: at(0) },
        spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] },
      },
      events: [],
    },
    host,
    letters: [],
  };
  const known = knownFrom(apart);
  const answer = {
    ...answerOf({ name: 'web', uid: 'u-1' }, known, explain(known), { workflows: host.workflows }),
    stages: [],
  };
  return tell({ what: 'claim/web in cluster sim', answer, missing: [] }, all, width, columns);
}

test('a claim that waits says what was decided, what holds it and when it goes on', () => {
  expect(told(waiting, false, 60)).toMatchInlineSnapshot(`
    "claim/web in cluster sim: not launched, 5 s old
    cause  Paused: provider sim is paused: out of money; no new instances are created
    fix    to resume: poolwright resume provider sim

    Paused: provider sim: out of money.
    Now: launch has been running since 05:06:01, waiting for the provider (pollCreate); it checks again at 05:06:09.

    Decisions
      2026-03-04 (UTC)
      05:06:01  choose  attempt 1: small in zone-a, spot, 0.1
                        per hour
                        then b, 0.15 per hour: $0.05 more
                        then c
                        then … and 2 more (--details)
                        not  tiny: cpu: 2 requested, 1
                          available
      05:06:02  create  attempt 1: small is being created, which
                        takes a while in this cloud
                        call sim beginCreate: begun after 12
                          ms
    "
  `);
});

test('at a terminal the first lines are broken between words, and only there', () => {
  const aside = { status: 'set-aside', error: `it killed the host ${'again and '.repeat(12)}again` };
  const workflows = waiting.workflows.map((one) => ({ ...one, ...aside }));
  const host = { ...waiting, workflows, pauses: [] };

  const [piped, seen] = [told(host, false, 80), told(host, false, 80, 80)].map((text) => text.split('\n\n')[0] ?? '');

  expect(piped?.split('\n')).toHaveLength(3);
  const lines = seen?.split('\n') ?? [];
  expect(lines.length).toBeGreaterThan(4);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.filter((line) => !/^(claim\/|cause {2}\S|fix {4}\S| {7}\S)/.test(line))).toEqual([]);
  expect(seen?.replace(/\n {7}/g, ' ')).toBe(piped);
});

test('details are all there when asked for', () => {
  const text = told(waiting, true, 100);

  for (const candidate of ['then b', 'then e', 'not  tiny']) expect(text).toContain(candidate);
  expect(text).not.toContain('more (--details)');
});

test('a claim about which nothing is known says so', () => {
  const text = told({ ...waiting, decisions: [], workflows: [], pauses: [] }, false, 80);

  expect(text).toContain('cause  no host has processed it yet, 5 s after it was created');
  expect(text).toContain('Now: no workflow is running for it.');
});

test('text from outside cannot move the cursor', () => {
  const [first] = waiting.decisions;
  const nasty = { ...waiting, decisions: [{ ...first!, text: 'a\u001b[2Jb\nc' }] };

  expect(told(nasty, false, 80)).not.toContain('\u001b');
  expect(told(nasty, false, 80)).toContain('a\\u001b[2Jb c');
});

test.each([
  [`poll launchStopped until ${at(8)}`, 'waiting for its launch to stop; it checks again at 05:06:08'],
  ['call beginCreate', 'running beginCreate'],
  [`call beginCreate until ${at(8)}`, 'retrying beginCreate at 05:06:08'],
  [`sleep until ${at(8)}`, 'pausing until 05:06:08'],
  [`wait-signal look until ${at(8)}`, 'it checks again at 05:06:08, or as soon as its claim or node changes'],
  ['all [call a, call b]', 'at all [call a, call b]'],
])('a workflow at "%s" is put in words', (waitingFor, words) => {
  const workflows = waiting.workflows.map((one) => ({ ...one, waitingFor }));

  expect(told({ ...waiting, workflows }, false, 80)).toContain(words);
});

/** As a host tells it. */
const coded = <Code extends DecisionCode>(second: number, code: Code, fields: FieldsOf<Code>) => ({
  at: at(second),
  step: decisionCatalog[code].step,
  code,
  fields,
  text: decisionText(code, fields),
});

const noneFits = 'No instance type fits: gpu 99';
const rounds = [0, 1, 2].flatMap((round) => [
  coded(round * 2, 'nothing-chosen', { reason: 'NoInstanceTypeFits', kind: 'invalid', message: noneFits }),
  coded(round * 2 + 1, 'launch-failed', {
    reason: 'NoInstanceTypeFits',
    kind: 'invalid',
    message: noneFits,
    retryAt: Date.parse(at(round * 2 + 2)),
  }),
]);

test('rounds that differ in nothing but their times are told once, the last one', () => {
  const first = { at: at(0), step: 'choose', text: 'the node class does not exist' };
  expect(
    told({ ...waiting, decisions: [first, ...rounds], workflows: [], pauses: [] }, false, 90),
  ).toMatchInlineSnapshot(`
    "claim/web in cluster sim: not launched, 5 s old
    cause  no workflow is running for it, 5 s after it was created
    fix    none needed: the resync checks every claim every few minutes. If this persists, check that events arrive: poolwright doctor

    Now: no workflow is running for it.

    Decisions
      2026-03-04 (UTC)
      05:06:00  choose  the node class does not exist
      05:06:04  choose  No instance type fits: gpu 99 (3 times since 05:06:00; --details)
      05:06:05  fail    as above; next retry at 2026-03-04T05:06:06.000Z
    "
  `);
});

test('whole attempts that fail alike are told once, and their reason once', () => {
  const why = `create agent pool web of cluster east: the identity a-b-c lacks the right to write it; ${'assign it a role. '.repeat(8)}`;
  const offering = { instanceType: 'Standard_D2s_v5', zone: '', capacityType: 'on-demand' } as const;
  const kind = 'unauthorised';
  const attempts = [1, 2, 3].flatMap((attempt) => [
    coded(attempt * 4, 'offering-chosen', { attempt, offering: { ...offering, price: 0.1 } }),
    coded(attempt * 4, 'create-failed', { attempt, offering, others: 0, kind, message: why }),
    coded(attempt * 4, 'attempt-closed', { attempt, reason: 'Unauthorized', kind, message: why, settleSeconds: 0 }),
    coded(attempt * 4, 'launch-failed', { reason: 'Unauthorized', kind, message: why, retryAt: attempt }),
  ]);
  const text = told({ ...waiting, decisions: attempts, workflows: [], pauses: [] }, false, 400);
  expect(text).toContain('attempt 3: Standard_D2s_v5, on-demand, $0.1 per hour (3 times since 05:06:04; --details)');
  expect(text).toContain('attempt 3 is over: as above\n');
  expect(text.match(/lacks the right/g)).toHaveLength(1);
  expect(text).not.toContain('attempt 2');
});

test('a single round tells its reason once as well', () => {
  const text = told({ ...waiting, decisions: rounds.slice(0, 2), workflows: [], pauses: [] }, false, 90);
  expect(text.match(/No instance type fits/g)).toHaveLength(1);
  expect(text).toContain('fail    as above; next retry at');
});

test('with details every round is told', () => {
  const text = told({ ...waiting, decisions: rounds, workflows: [], pauses: [] }, true, 90);
  expect(text.match(/No instance type fits/g)).toHaveLength(6);
});

test('decisions that differ are all told', () => {
  const decisions = ['a', 'b', 'a', 'c'].map((text, second) => ({ at: at(second), step: 'choose', text }));
  const text = told({ ...waiting, decisions, workflows: [], pauses: [] }, false, 90);
  expect(text.match(/choose/g)).toHaveLength(4);
});

test('a claim whose workflow was set aside says so, and how to go on', () => {
  const aside = { status: 'set-aside', error: 'the process died 3 times in a row' };
  const workflows = waiting.workflows.map((one) => ({ ...one, ...aside }));
  const [, cause, cure] = told({ ...waiting, workflows, pauses: [] }, false, 80).split('\n');
  expect(cause).toMatch(/^cause {2}SetAside: launch was set aside.*the process died 3 times in a row$/);
  expect(cure).toContain('poolwright workflows restart sim/u-1/launch/7');
});

test('a claim that no provider serves says that it is left alone', () => {
  const text = told({ ...waiting, decisions: [], workflows: [], ours: false, pauses: [] }, false, 80);
  expect(text).toContain('cause  no configured provider serves the claim, given its node class');
});
