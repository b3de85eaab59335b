/** The catalog gives names and triggers before any code is loaded: both must say the same, and every platform must have each function. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reconcilers, watcherNames, watcherOf } from './catalog.ts';

describe('a watcher of the catalog', () => {
  it.each(['events', 'interruptions'] as const)('has the name and the queue of its code: %s', async (queue) => {
    const { name, load } = watcherOf(queue);
    expect(await load()).toMatchObject({ name, trigger: { type: 'queue', queue } });
  });

  // A bundle of Lambda holds one function, so each watcher has an entry that imports its code and nothing else.
  it('has an entry and a handler on Lambda, and there is no other', () => {
    for (const folder of ['entries', 'handlers']) {
      const files = globSync(`watch-*.ts`, { cwd: join(import.meta.dirname, 'hosts/aws', folder) });
      expect(files.map((file) => basename(file, '.ts')).sort()).toEqual([...watcherNames].sort());
    }
  });
});

describe('a reconciler of the catalog', () => {
  it.each(reconcilers)('has the name and the timer of its code: $name', async ({ name, every, load }) => {
    expect(await load()).toMatchObject({ name, trigger: { type: 'timer', every } });
  });
});
