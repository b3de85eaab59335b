import { expect, test } from 'vitest';
import type { WorkflowInfo } from '../workflow/contract.ts';
import { type EventSources, eventOutcome, lettersWith } from './event-outcome.ts';

const letter = (id: string, body: string) => ({ id, body, reason: 'why', receiveCount: 1, enqueuedAt: 0, deadAt: 1 });

const launch = (number: number): WorkflowInfo => ({
  id: `c/u-${number}/launch/1`,
  key: `c/u-${number}/launch`,
  epoch: 1,
  workflow: 'launch',
  version: 1,
  status: 'running',
  startedAt: number,
});

/** Pages of two, oldest first. */
const paged =
  <T>(all: readonly T[]) =>
  async ({ after = '0' }: { after?: string }) => {
    const next = Number(after) + 2;
    const items = all.slice(Number(after), next);
    return next < all.length ? { items, next: String(next) } : { items };
  };

const startedBy = (event: string, name: string) => ({ name, cause: { event, observedBy: 'watch', at: 5 } });

const sources = (letters: ReturnType<typeof letter>[], inputs: unknown[] = []): EventSources => ({
  deadLetters: paged(letters),
  workflows: {
    list: paged(inputs.map((_, number) => launch(number))),
    inspect: async (id) => ({ input: inputs[Number(/u-(\d+)/.exec(id)?.[1])] }),
  },
});

test('finds a dead letter on a later page, by its own id and by that of its event', async () => {
  const body = JSON.stringify({ id: 'e-3', data: { name: 'web' } });
  const from = sources([letter('l-1', 'not JSON'), letter('l-2', '[]'), letter('l-3', body)]);

  for (const id of ['l-3', 'e-3']) {
    expect(await eventOutcome(from, id)).toMatchObject({ outcome: 'dead-letter', letter: { id: 'l-3' }, claim: 'web' });
  }
  const unusable = await eventOutcome(from, 'l-1');
  expect(unusable).toMatchObject({ outcome: 'dead-letter' });
  expect(unusable).not.toHaveProperty('claim');
});

test('a search ends with the patience of who asked, and says so', async () => {
  const patience = new AbortController();
  let pages = 0;
  const endless = async () => {
    if (++pages === 3) patience.abort();
    return { items: [letter('l-1', '{}')], next: 'more' };
  };
  const searched = await lettersWith(endless, 'none', { signal: patience.signal });
  expect(searched).toEqual({ letters: [], cut: true });
  expect(pages).toBe(3);
});

test('finds the newest workflow that an event started', async () => {
  const from = sources([], [startedBy('e-1', 'one'), startedBy('e-1', 'two'), null, 'text', { cause: 'odd' }]);

  expect(await eventOutcome(from, 'e-1')).toMatchObject({
    outcome: 'processed',
    claim: 'two',
    cause: { observedBy: 'watch', at: 5 },
    workflow: { id: 'c/u-1/launch/1' },
  });
});

test('asks an engine that is an object with methods of its own', async () => {
  class Engine {
    #infos = [launch(0)];
    async list() {
      return { items: this.#infos };
    }
    async inspect(id: string) {
      return { input: id === this.#infos[0]?.id ? startedBy('e-1', 'one') : undefined };
    }
  }

  expect(await eventOutcome({ deadLetters: paged([]), workflows: new Engine() }, 'e-1')).toMatchObject({
    claim: 'one',
  });
});

test('finds nothing where no record has the id, also on an engine that keeps no list', async () => {
  const { deadLetters, workflows } = sources([letter('l-1', '{}')], [startedBy('e-1', 'one')]);

  expect(await eventOutcome({ deadLetters, ...(workflows && { workflows }) }, 'e-2')).toBeUndefined();
  expect(await eventOutcome({ deadLetters }, 'e-1')).toBeUndefined();
});

test('asks only the hundred newest workflows', async () => {
  const asked: string[] = [];
  const all = Array.from({ length: 150 }, (_, number) => launch(number));
  const inspect = async (id: string) => {
    asked.push(id);
    return undefined;
  };
  await eventOutcome({ deadLetters: paged([]), workflows: { list: paged(all), inspect } }, 'e-1');

  expect(asked).toHaveLength(100);
  expect(asked[0]).toBe('c/u-149/launch/1');
});
