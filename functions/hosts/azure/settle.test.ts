import { expect, it } from 'vitest';
import type { Handled } from '../../../shared/queue/contract.ts';
import { settle } from './settle.ts';

const message = { id: 'm', body: '{}', receiveCount: 3, enqueuedAt: 0, receipt: 'lock ' };

async function settled(handled: Handled, mayTryLater = true) {
  const asked: unknown[] = [];
  const events = {
    tryLater: async (...what: unknown[]) => {
      asked.push(['later', ...what.slice(1)]);
      return mayTryLater;
    },
    deadLetter: async (_: unknown, reason: string) => {
      asked.push(['dead', reason]);
      return true;
    },
  };
  return { answer: await settle(events, message, handled), asked };
}

it('asks for nothing when the message is done: the host completes it', async () => {
  expect(await settled('done')).toEqual({ answer: 'done', asked: [] });
});

it('leaves a copy for later', async () => {
  expect(await settled({ retryAfterSeconds: 7, reason: 'away' })).toEqual({
    answer: 'later',
    asked: [['later', 7, 'away']],
  });
});

it('keeps apart what was received too often, with the last failure', async () => {
  const reason = 'received 3 times, last failure: away';
  expect(await settled({ retryAfterSeconds: 7, reason: 'away' }, false)).toEqual({
    answer: { dead: reason },
    asked: [
      ['later', 7, 'away'],
      ['dead', reason],
    ],
  });
});

it('keeps apart what is dead, with its reason', async () => {
  expect(await settled({ dead: 'no event' })).toEqual({ answer: { dead: 'no event' }, asked: [['dead', 'no event']] });
});

it('throws when it can not be kept apart, so that the message comes again', async () => {
  const events = { tryLater: async () => true, deadLetter: () => Promise.reject(new Error('the bus is away')) };
  await expect(settle(events, message, { dead: 'no event' })).rejects.toThrow('the bus is away');
});
