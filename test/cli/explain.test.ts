import { expect, test } from 'vitest';
import { type Explained, told } from '../../cli/explain.ts';

const at = (second: number): string => `2026-03-04T05:06:0${second}.000Z`;

const waiting: Explained = {
  cluster: 'sim',
  name: 'web',
  uid: 'u-1',
  decisions: [
    {
      at: at(1),
      step: 'choose',
      text: 'attempt 1: small in zone-a, spot, 0.1 per hour',
      detail: {
        candidates: ['small in zone-a', 'b', 'c', 'd', 'e'],
        rejections: ['tiny: cpu: 2 requested, 1 available'],
      },
    },
    { at: at(2), step: 'create', text: 'attempt 1: small is being created, which takes a while in this cloud' },
  ],
  running: [
    { id: 'sim/u-1/launch/7', workflow: 'launch', startedAt: at(1), waitingFor: `poll pollCreate until ${at(9)}` },
  ],
  pauses: [{ kind: 'provider', name: 'sim', setBy: 'request', why: 'out of money' }],
};

test('a claim that waits says what was decided, what holds it and when it goes on', () => {
  expect(told(waiting, false, 60)).toMatchInlineSnapshot(`
    "web in cluster sim (uid u-1)

      2026-03-04 (UTC)
      05:06:01  choose  attempt 1: small in zone-a, spot, 0.1
                        per hour
                        then b
                        then c
                        then … and 2 more (--details)
                        not  tiny: cpu: 2 requested, 1
                          available
      05:06:02  create  attempt 1: small is being created, which
                        takes a while in this cloud

    Paused: provider sim: out of money.
    Now: launch runs since 05:06:01, waiting for the provider (pollCreate); it asks again at 05:06:09.
    "
  `);
});

test('details are all there when asked for', () => {
  const text = told(waiting, true, 100);

  for (const candidate of ['then b', 'then e', 'not  tiny']) expect(text).toContain(candidate);
  expect(text).not.toContain('more (--details)');
});

test('a claim about which nothing is known says so', () => {
  const text = told({ ...waiting, decisions: [], running: [], pauses: [] }, false, 80);

  expect(text).toContain('Nothing was decided about it');
  expect(text).toContain('Now: nothing runs for it.');
});

test('text from outside cannot move the cursor', () => {
  const [first] = waiting.decisions;
  const nasty = { ...waiting, decisions: [{ ...first!, text: 'a\u001b[2Jb\nc' }] };

  expect(told(nasty, false, 80)).not.toContain('\u001b');
  expect(told(nasty, false, 80)).toContain('a\\u001b[2Jb c');
});

test.each([
  [`poll launchStopped until ${at(8)}`, 'waiting for its launch to stop; it asks again at 05:06:08'],
  ['call beginCreate', 'busy with beginCreate'],
  [`call beginCreate until ${at(8)}`, 'trying beginCreate again at 05:06:08'],
  [`sleep until ${at(8)}`, 'pausing until 05:06:08'],
  [`wait-signal look until ${at(8)}`, 'it looks again at 05:06:08, and at once when its claim or node changes'],
  ['all [call a, call b]', 'at all [call a, call b]'],
])('a workflow at "%s" is put in words', (waitingFor, words) => {
  const running = waiting.running.map((one) => ({ ...one, waitingFor }));

  expect(told({ ...waiting, running }, false, 80)).toContain(words);
});

const rounds = [0, 1, 2].flatMap((round) => [
  { at: at(round * 2), step: 'choose', text: 'No instance type fits: gpu 99' },
  { at: at(round * 2 + 1), step: 'fail', text: `No instance type fits: gpu 99; next try at ${at(round * 2 + 2)}` },
]);

test('rounds that differ in nothing but their times are told once, the last one', () => {
  const first = { at: at(0), step: 'choose', text: 'the node class does not exist' };
  expect(
    told({ ...waiting, decisions: [first, ...rounds], running: [], pauses: [] }, false, 90),
  ).toMatchInlineSnapshot(`
    "web in cluster sim (uid u-1)

      2026-03-04 (UTC)
      05:06:00  choose  the node class does not exist
      05:06:04  choose  No instance type fits: gpu 99 (3 times since 05:06:00; --details)
      05:06:05  fail    as above; next try at 2026-03-04T05:06:06.000Z

    Now: nothing runs for it.
    "
  `);
});

test('whole attempts that fail alike are told once, and their reason once', () => {
  const why = `create agent pool web of cluster east: the identity a-b-c lacks the right to write it; ${'assign it a role. '.repeat(8)}`;
  const attempts = [1, 2, 3].flatMap((attempt) => [
    { at: at(attempt * 4), step: 'choose', text: `attempt ${attempt}: Standard_D2s_v5, on-demand` },
    {
      at: at(attempt * 4),
      step: 'create',
      text: `attempt ${attempt}: Standard_D2s_v5: unauthorised: ${why.slice(0, 150)}…`,
    },
    { at: at(attempt * 4), step: 'close', text: `attempt ${attempt} is over: ${why.slice(0, 180)}…` },
    { at: at(attempt * 4), step: 'fail', text: why },
  ]);
  const text = told({ ...waiting, decisions: attempts, running: [], pauses: [] }, false, 400);
  expect(text).toContain('attempt 3: Standard_D2s_v5, on-demand (3 times since 05:06:04; --details)');
  expect(text).toContain('attempt 3 is over: as above\n');
  expect(text.match(/lacks the right/g)).toHaveLength(1);
  expect(text).not.toContain('attempt 2');
});

test('a single round tells its reason once as well', () => {
  const text = told({ ...waiting, decisions: rounds.slice(0, 2), running: [], pauses: [] }, false, 90);
  expect(text.match(/No instance type fits/g)).toHaveLength(1);
  expect(text).toContain('fail    as above; next try at');
});

test('with details every round is told', () => {
  const text = told({ ...waiting, decisions: rounds, running: [], pauses: [] }, true, 90);
  expect(text.match(/No instance type fits/g)).toHaveLength(6);
});

test('decisions that differ are all told', () => {
  const decisions = ['a', 'b', 'a', 'c'].map((text, second) => ({ at: at(second), step: 'choose', text }));
  const text = told({ ...waiting, decisions, running: [], pauses: [] }, false, 90);
  expect(text.match(/choose/g)).toHaveLength(4);
});

test('a claim whose workflow was set aside says so, and how to go on', () => {
  const setAside = [{ id: 'sim/u-1/launch/7', workflow: 'launch', error: 'the process died 3 times in a row' }];
  const text = told({ ...waiting, running: [], setAside, pauses: [] }, false, 80);
  expect(text).toContain('Now: launch is set aside: the process died 3 times in a row.');
  expect(text).toContain('/v1/workflows/sim/u-1/launch/7/retry');
});

test('a claim that no provider serves says that it is left alone', () => {
  const text = told({ ...waiting, decisions: [], running: [], ours: false, pauses: [] }, false, 80);
  expect(text).toContain('No provider here serves it, by its node class');
});
