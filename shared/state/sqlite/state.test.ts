import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { closeStateDatabase, openSqliteState, openStateDatabase, stateStatements } from './state.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function setUp() {
  const clock = manualClock();
  const due: (() => void)[] = [];
  const after = (_: number, callback: () => void) => {
    due.push(callback);
    return () => undefined;
  };
  const opened = openStateDatabase({ file: ':memory:', timers: { after } });
  cleanups.push(() => opened.database.close());
  const rows = () => Number(opened.database.connection.prepare('select count(*) as n from entries').get()?.n);
  return { clock, due, rows, ...opened, state: openSqliteState({ ...opened, clock }) };
}

describe('openSqliteState', () => {
  it('removes expired entries with every write, so that they cannot pile up', async () => {
    const { clock, rows, state } = setUp();
    for (let n = 0; n < 10; n++) await state.put(`old/${n}`, n, { ttlSeconds: 1 });
    clock.advance(1000);
    expect(rows()).toBe(10);
    for (let n = 0; n < 5; n++) await state.put(`new/${n}`, n);
    expect(rows()).toBe(5);
  });

  it('sweeps expired entries in bounded batches, and nothing else', async () => {
    const { clock, rows, state } = setUp();
    await Promise.all(Array.from({ length: 30 }, (_, n) => state.put(`old/${n}`, n, { ttlSeconds: 1 })));
    await state.put('stays', 1, { ttlSeconds: 100 });
    await state.put('forever', 1);
    clock.advance(1000);
    expect(await state.sweep(20)).toBe(20);
    expect(await state.sweep(20)).toBe(10);
    expect(await state.sweep(20)).toBe(0);
    expect(rows()).toBe(2);
  });

  it('puts what arrives together into one commit', async () => {
    const { commits, state } = setUp();
    const before = commits.counts.commits;
    await Promise.all(Array.from({ length: 50 }, (_, n) => state.put(`k/${n}`, n)));
    expect(commits.counts.commits - before).toBe(1);
  });

  it('writes what need not be durable at once together, a moment later, and never what was replaced meanwhile', async () => {
    const { commits, due, rows, state } = setUp();
    await state.put('first', 0);
    const { writes } = commits.counts;
    for (let n = 0; n < 5; n++) await state.put('moves', n, { soon: true });
    await state.put('gone', 1, { soon: true });
    await state.delete('gone');
    expect(rows()).toBe(1);
    for (const fire of due.splice(0)) fire();
    commits.flush();
    expect(rows()).toBe(2);
    expect((await state.get('moves'))?.value).toBe(4);
    expect(commits.counts.writes - writes).toBe(2);
  });

  it('keeps a late write of an older value from replacing a newer one', async () => {
    const { commits, deferred, state } = setUp();
    await state.put('first', 0);
    await state.put('a', 'older', { soon: true });
    deferred.flush();
    const newer = state.put('a', 'newer');
    await state.put('b', 'older', { soon: true });
    const other = state.put('b', 'newer');
    deferred.flush();
    commits.flush();
    await Promise.all([newer, other]);
    expect([(await state.get('a'))?.value, (await state.get('b'))?.value]).toEqual(['newer', 'newer']);
  });

  it('writes what is held back before it closes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-state-'));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'state.db');
    const opened = openStateDatabase({ file });
    const state = openSqliteState({ ...opened, clock: manualClock() });
    await state.put('first', 0);
    await state.put('a', 1, { soon: true });
    closeStateDatabase(opened);
    const again = openStateDatabase({ file });
    cleanups.push(() => again.database.close());
    expect((await openSqliteState({ ...again, clock: manualClock() }).get('a'))?.value).toBe(1);
  });

  it('ends a page when it gets large, whatever its limit', async () => {
    const { state } = setUp();
    const value = 'x'.repeat(50_000);
    await Promise.all(Array.from({ length: 40 }, (_, n) => state.put(`k/${n}`, value)));
    const page = await state.list('k/', { limit: 1000 });
    expect(page.items.length).toBeLessThan(30);
    expect(page.next).toBe(page.items.at(-1)?.key);
  });

  it('answers every statement from an index: none walks through the entries or sorts', () => {
    const { database } = setUp();
    for (const [name, sql] of Object.entries(stateStatements)) {
      const plan = database.connection
        .prepare(`explain query plan ${sql}`)
        .all(...Array(sql.split('?').length - 1).fill(0));
      for (const { detail } of plan) expect(String(detail), name).not.toMatch(/SCAN entries|TEMP B-TREE/);
    }
  });
});
