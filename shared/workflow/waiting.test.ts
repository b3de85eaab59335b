import { expect, test } from 'vitest';
import { signature } from './thread.ts';
import type { Command } from './vocabulary.ts';
import { parseSignature, waitingIn } from './waiting.ts';

test.each<[Command, ReturnType<typeof parseSignature>]>([
  [{ kind: 'call', activity: 'choose', input: null } as unknown as Command, { command: 'call', name: 'choose' }],
  [{ kind: 'poll', activity: 'pollCreate' } as unknown as Command, { command: 'poll', name: 'pollCreate' }],
  [{ kind: 'wait-signal', name: 'look' } as unknown as Command, { command: 'wait-signal', name: 'look' }],
  [{ kind: 'sleep', seconds: 5 } as unknown as Command, { command: 'sleep' }],
  [
    { kind: 'all', items: [{ kind: 'call', activity: 'a' }] } as unknown as Command,
    { command: 'all', name: '[call a]' },
  ],
])('a command is known again by its signature: $kind', (command, parsed) => {
  expect(parseSignature(signature(command))).toEqual(parsed);
});

test('a wait is told in words and as data, with its end where the engine knows it', () => {
  expect(waitingIn('poll pollCreate', 0)).toEqual({
    waitingFor: 'poll pollCreate until 1970-01-01T00:00:00.000Z',
    waiting: { command: 'poll', name: 'pollCreate', until: 0 },
  });
  expect(waitingIn(undefined)).toEqual({ waitingFor: 'its first step' });
});
