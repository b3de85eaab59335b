import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { logEvents } from './events.ts';
import { collectingLog, createLog, type LogOptions } from './log.ts';
import { isSecretKey } from './redact.ts';

function logger(more: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    clock: manualClock(Date.UTC(2026, 0, 1, 12)),
    sink: (line) => void lines.push(line),
    ...more,
  });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a JSON line', () => {
  it('has time, level, event id, text, the ids of all parents and the fields', () => {
    const { log, parsed } = logger();
    log.child({ cluster: 'a' }).child({ claim: 'c', uid: 'u', workflow: 'w' }).write('claim.ready', { seconds: 4 });
    expect(parsed()).toEqual([
      {
        time: '2026-01-01T12:00:00.000Z',
        level: 'info',
        event: 'claim.ready',
        msg: logEvents['claim.ready'].text,
        cluster: 'a',
        claim: 'c',
        uid: 'u',
        workflow: 'w',
        seconds: 4,
      },
    ]);
  });

  it('is not written below the level', () => {
    const { log, lines } = logger({ level: 'warn' });
    log.write('claim.ready');
    log.write('claim.failed');
    expect(lines).toHaveLength(1);
  });

  it('cannot be disguised by a field', () => {
    const { log, parsed } = logger();
    log.child({ claim: 'mine' }).write('claim.ready', { event: 'x', msg: 'y', level: 'z', time: 't', claim: 'other' });
    expect(parsed()[0]).toMatchObject({ event: 'claim.ready', level: 'info', claim: 'mine', event_: 'x', msg_: 'y' });
  });

  it('is written whatever is among its fields', () => {
    const { log, parsed } = logger();
    const toJSON = () => {
      throw new Error('not this one');
    };
    log.write('claim.ready', { toJSON, large: 1n, inner: { toJSON, kept: 1 }, never: new Date(Number.NaN) });
    expect(parsed()[0]).toMatchObject({ event: 'claim.ready', large: '1', inner: { kept: 1 }, never: null });
  });

  it('carries the code under which its error is explained', () => {
    const { log, parsed } = logger();
    log.write('cluster.twice', { code: 'x' });
    log.write('claim.failed', { reason: 'QuotaExceeded' });
    log.write('claim.ready');
    expect(parsed().map(({ code }) => code)).toEqual(['ClusterTwice', 'QuotaExceeded', undefined]);
  });

  it('keeps message, stack and cause of an error', () => {
    const { log, parsed } = logger();
    log.write('host.failed', { error: new Error('outer', { cause: new Error('inner') }) });
    expect(parsed()[0]).toMatchObject({
      error: { message: 'outer', stack: expect.stringContaining('log.test.ts'), cause: { message: 'inner' } },
    });
  });

  it('survives cycles, huge texts and long arrays', () => {
    const { log, lines } = logger();
    const cycle: Record<string, unknown> = {
      big: 'x'.repeat(100_000),
      many: Array.from({ length: 10_000 }, () => 1),
      n: 1n,
    };
    cycle.self = cycle;
    log.write('host.failed', cycle);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(50_000);
  });
});

describe('secrets', () => {
  it.each(['token', 'accessToken', 'Authorization', 'user_data', 'userData', 'PASSWORD', 'client-key', 'clientSecret'])(
    'under %s never reach a line, however deep',
    (key) => {
      const { log, lines } = logger();
      log.write('host.failed', { request: { headers: [{ [key]: 'hunter2' }] }, [key]: { inner: 'hunter2' } });
      expect(lines.join()).not.toContain('hunter2');
    },
  );

  it('in texts and errors are hidden', () => {
    const { log, lines } = logger();
    log.write('host.failed', {
      error: new Error('GET failed with Authorization: Bearer abcdefghijk.lmn'),
      url: 'https://user:hunter2@host/path',
    });
    expect(lines.join()).not.toMatch(/abcdefghijk|hunter2/);
    expect(lines.join()).toContain('user:[redacted]@host');
  });

  it('are told from the file that holds them', () => {
    expect(isSecretKey('tokenFile')).toBe(false);
  });
});

describe('a line for people', () => {
  it('starts with time, level and text, then says whom it is about', () => {
    const { log, lines } = logger({ pretty: true });
    log.child({ claim: 'web-1', cluster: 'a' }).write('claim.ready', { why: 'two words', n: 3 });
    expect(lines).toEqual(['12:00:00.000 INFO  The claim is ready  cluster=a  claim=web-1  why="two words"  n=3\n']);
  });

  it('has the stack of an error beneath it', () => {
    const { log, lines } = logger({ pretty: true, color: true });
    log.write('host.failed', { error: new Error('boom\u009b2J') });
    expect(lines[0]).toMatch(/error=.*boom.*\n {4}Error: boom\\u009b2J\n/);
  });

  test.prop([fc.string({ unit: 'binary' })])('stays one line whatever a field holds', (text) => {
    const { log, lines } = logger({ pretty: true });
    log.write('claim.ready', { text });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
    expect(lines[0]).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

it('collects lines for tests', () => {
  const log = collectingLog();
  log.child({ claim: 'c' }).write('claim.ready', { n: 1 });
  expect(log.lines).toEqual([{ event: 'claim.ready', ids: { claim: 'c' }, fields: { n: 1 } }]);
});
