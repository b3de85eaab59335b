import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { createLog } from '../../../shared/observe/log/log.ts';
import type { LogQuery } from '../../http/routes/logs/log-page.ts';
import { type KeptLog, type KeptLogOptions, keepLog } from './kept-log.ts';

let directory = '';
let kept: KeptLog;
let clock: ReturnType<typeof manualClock>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-log-'));
  clock = manualClock();
});
afterEach(() => {
  kept.close();
  rmSync(directory, { recursive: true, force: true });
});

const logDirectory = (): string => join(directory, 'log');

function open(more: Partial<KeptLogOptions> = {}): KeptLog {
  kept = keepLog({ directory: logDirectory(), clock, ...more });
  return kept;
}

const line = (fields: object): string =>
  `${JSON.stringify({ time: new Date(clock.now()).toISOString(), level: 'info', event: 'claim.ready', ...fields })}\n`;

const ask = (query: Partial<LogQuery> = {}) => kept.read({ uids: [], level: 'debug', limit: 100, ...query });
const found = async (query: Partial<LogQuery> = {}) => (await ask(query)).items.map(({ n }) => n);

describe('the kept log', () => {
  it('has the lines of the log as JSON, redacted as they are', async () => {
    const { write } = open();
    const log = createLog({ level: 'info', pretty: true, sink: () => undefined, keep: write, clock });

    log.child({ cluster: 'a', claim: 'web-1', uid: 'u-1' }).write('claim.ready', { password: 'x', seconds: 4 });
    log.write('workflow.started');

    expect((await ask()).items).toEqual([
      expect.objectContaining({ event: 'claim.ready', claim: 'web-1', password: '[redacted]', seconds: 4 }),
    ]);
    expect(statSync(logDirectory()).mode & 0o777).toBe(0o700);
    expect(statSync(join(logDirectory(), '00000001.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('finds every line about a claim, also those that know its uid alone, and before the first with its name', async () => {
    const { write } = open();
    write(line({ n: 1, uid: 'u-1', workflow: 'a/u-1/launch/1' }));
    write(line({ n: 2, cluster: 'a', claim: 'web-1', uid: 'u-1' }));
    write(line({ n: 3, cluster: 'a', claim: 'web-10', uid: 'u-10' }));
    write(line({ n: 4, workflow: 'a/u-1/terminate/1' }));
    write(line({ n: 5 }));

    expect(await found({ claim: 'web-1' })).toEqual([1, 2, 4]);
    expect((await ask({ claim: 'web-1' })).uids).toEqual(['u-1']);
    expect(await found({ uids: ['u-10'] })).toEqual([3]);
    expect(await found({ claim: 'web' })).toEqual([]);
    expect(await found()).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps claims of one name in different clusters apart', async () => {
    const { write } = open();
    write(line({ n: 1, cluster: 'a', claim: 'web-1', uid: 'u-1' }));
    write(line({ n: 2, cluster: 'b', claim: 'web-1', uid: 'u-2' }));

    expect(await found({ claim: 'web-1', cluster: 'b' })).toEqual([2]);
    expect((await ask({ claim: 'web-1', cluster: 'b' })).uids).toEqual(['u-2']);
  });

  it('filters by level, time and workflow', async () => {
    const { write } = open();
    write(line({ n: 1, level: 'warn', workflow: 'a/u/launch/1' }));
    clock.advance(60_000);
    write(line({ n: 2, level: 'error', workflow: 'a/u/launch/2' }));
    write(line({ n: 3, level: 'debug' }));

    expect(await found({ level: 'warn' })).toEqual([1, 2]);
    expect(await found({ since: clock.now() - 1000 })).toEqual([2, 3]);
    expect(await found({ workflow: 'a/u/launch/1' })).toEqual([1]);
  });

  it('gives the newest lines first of all, and then those that come', async () => {
    const { write } = open();
    for (let n = 1; n <= 5; n++) write(line({ n }));

    const first = await ask({ limit: 2 });
    expect(first.items.map(({ n }) => n)).toEqual([4, 5]);
    expect((await ask({ after: first.next })).items).toEqual([]);
    for (let n = 6; n <= 8; n++) write(line({ n }));
    const second = await ask({ after: first.next, limit: 2 });
    expect(second.items.map(({ n }) => n)).toEqual([6, 7]);
    expect(await found({ after: second.next })).toEqual([8]);
  });

  it('is bounded, and whoever follows over a change of files misses nothing that is there', async () => {
    const { write } = open({ fileBytes: 400, files: 3 });
    write(line({ n: 0 }));
    const { next } = await ask();
    for (let n = 1; n <= 8; n++) write(line({ n }));
    expect(await found({ after: next })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    for (let n = 9; n <= 100; n++) write(line({ n }));
    expect(readdirSync(logDirectory()).length).toBeLessThanOrEqual(3);
    const left = await found({ after: next });
    expect(left.at(-1)).toBe(100);
    expect(left).toEqual(await found());
  });

  it('goes on in the same file after a crash in the middle of a line', async () => {
    open().write(line({ n: 1 }));
    kept.close();
    appendFileSync(join(logDirectory(), '00000001.jsonl'), '{"time":"2026-0');
    open().write(line({ n: 2 }));

    expect(readdirSync(logDirectory())).toEqual(['00000001.jsonl']);
    expect(await found()).toEqual([1, 2]);
  });

  it('does not take half a line for one', async () => {
    open().write(line({ n: 1 }));
    appendFileSync(join(logDirectory(), '00000001.jsonl'), line({ n: 2 }).slice(0, 40));
    const { items, next } = await ask();
    appendFileSync(join(logDirectory(), '00000001.jsonl'), line({ n: 2 }).slice(40));

    expect(items).toHaveLength(1);
    expect(await found({ after: next })).toEqual([2]);
  });

  it('says nothing and goes on when it cannot write, and writes again when it can', async () => {
    // Somebody else's file stands where the directory should be.
    writeFileSync(logDirectory(), '');
    const { write } = open();
    expect(() => write(line({ n: 1 }))).not.toThrow();
    expect(await found()).toEqual([]);
    rmSync(logDirectory());
    write(line({ n: 2 }));
    clock.advance(11_000);
    write(line({ n: 3 }));

    expect(await found()).toEqual([3]);
  });

  it('passes over what is no line of a log', async () => {
    open().write(line({ n: 1 }));
    for (const text of ['', 'null', '[]', '7', '{}', '{"time":1,"level":"info","event":"x"}', '\u0000']) {
      appendFileSync(join(logDirectory(), '00000001.jsonl'), `${text}\n`);
    }
    writeFileSync(join(logDirectory(), 'notes.txt'), 'x');
    chmodSync(join(logDirectory(), 'notes.txt'), 0o600);

    expect(await found()).toEqual([1]);
  });
});
