/** Histories of the versions before say less: what they replay must be the same commands. */
import { expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { Instance } from '../../providers/contract.ts';
import type { Command, Steps } from '../../workflow/vocabulary.ts';
import { terminate } from '../terminate/terminate.ts';
import { join } from './join.ts';

const ref = { cluster: 'c', name: 'one', uid: 'u' };
const of = { provider: 'sim' };
const instance = { id: 'i', providerID: 'sim:///zone-a/i' } as Instance;
const made = { attempt: 1, providerID: instance.providerID, instance };

/** The commands that lead from one recorded answer to the next. */
function replay(steps: Steps<unknown>, answers: readonly unknown[]): Command[] {
  const commands: Command[] = [];
  let turn = steps.next();
  for (const answer of answers) {
    if (turn.done) break;
    commands.push(turn.value);
    turn = steps.next(answer);
  }
  return commands;
}

const inputs = (commands: readonly Command[]): Json[] =>
  commands.flatMap((command) => (command.kind === 'call' ? [command.input] : []));
const names = (commands: readonly Command[]): string[] =>
  commands.map((command) => ('activity' in command ? command.activity : command.kind));

it('a launch whose first answer had written Launched goes on without the instance', () => {
  const wait = { do: 'wait', for: 'a node', seconds: 20 };
  const commands = replay(join(ref, of, made), [wait, true, { ...wait, unsaid: true }, true, { do: 'ready' }]);
  expect(names(commands)).toEqual(['advance', 'wait-signal', 'advance', 'wait-signal', 'advance']);
  expect(inputs(commands).map((input) => (input as { instance?: Json }).instance)).toEqual([
    instance,
    undefined,
    undefined,
  ]);
});

it('a launch that has not written Launched hands on the instance and the time, in the same commands', () => {
  const unsaid = { do: 'wait', for: 'a node', seconds: 3, unsaid: true, launchedAt: 7 };
  const commands = replay(join(ref, of, made), [unsaid, false, { do: 'wait', for: 'a node', seconds: 20 }, true, {}]);
  expect(names(commands)).toEqual(['advance', 'wait-signal', 'advance', 'wait-signal', 'advance']);
  expect(inputs(commands)).toMatchObject([{ instance }, { instance, launchedAt: 7, say: true }, {}]);
  expect(inputs(commands)[2]).not.toHaveProperty('instance');
});

it.each<[string, object, string[]]>([
  ['an end that began before machines were looked up drains once', {}, ['drain', 'now', 'sleep', 'discard']],
  [
    'an end that found no Node of a machine without a record looks again after the wait',
    { unrecorded: 'sim' },
    ['drain', 'now', 'sleep', 'drain', 'discard'],
  ],
])('%s', (_, more, expected) => {
  const target = { registered: false, nodepool: '', ...more };
  const begun = { do: 'go', provider: 'sim', settleSeconds: 10, at: 0, empty: false, target };
  const drained = { do: 'drained', nodes: [] };
  const again = 'unrecorded' in more ? [drained] : [];
  const commands = replay(terminate.run(ref), [begun, drained, 0, undefined, ...again, { do: 'nothing' }]);
  expect(names(commands)).toEqual(['beginTerminate', ...expected]);
});
