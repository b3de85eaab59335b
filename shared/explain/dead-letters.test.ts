import { expect, test } from 'vitest';
import { lettersAbout, mayLackItsEvent } from './dead-letters.ts';

const letter = (id: string, body: unknown) => ({ id, reason: 'why', body: JSON.stringify(body), deadAt: 5 });

const letters = [
  letter('1', { data: { name: 'web', uid: 'u-1' } }),
  letter('2', { data: { name: 'web' } }),
  letter('3', { data: { name: 'web', uid: 'u-2' } }),
  { ...letter('4', ''), body: 'web, but no JSON' },
];

test('those that name its uid are found, and those that have only its name', async () => {
  const pages: { after?: string; limit: number }[] = [];
  const found = await lettersAbout(
    async (page) => {
      pages.push(page);
      return page.after === undefined ? { items: letters.slice(0, 2), next: 'b' } : { items: letters.slice(2) };
    },
    'web',
    'u-1',
  );

  expect(found).toEqual([
    { id: '1', reason: 'why', at: 5 },
    { id: '2', reason: 'why', at: 5 },
  ]);
  expect(pages.map(({ after }) => after)).toEqual([undefined, 'b']);
});

test('a queue with very many of them is not read to its end', async () => {
  let asked = 0;
  const many = async ({ limit }: { limit: number }) => {
    asked++;
    return { items: Array.from({ length: limit }, () => letters[2]!), next: 'more' };
  };

  expect(await lettersAbout(many, 'web', 'u-1')).toEqual([]);
  expect(asked).toBeLessThan(10);
});

test('only a claim for which nothing runs, and that is not ready, may lack its event', () => {
  const launch = { id: 'l', workflow: 'launch', status: 'running' };
  const ready = { at: 1, step: 'ready', code: 'node-ready', text: '' };

  expect(mayLackItsEvent({ workflows: [], decisions: [] })).toBe(true);
  expect(mayLackItsEvent({ workflows: [launch], decisions: [] })).toBe(false);
  expect(mayLackItsEvent({ workflows: [], decisions: [ready] })).toBe(false);
});
