/** What people see of a command that failed. */
import { describe, expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { errorText } from '../../cli/terminal/error-text.ts';
import { UserError } from '../../cli/terminal/user-error.ts';
import { poolwright } from '../cli/collect.ts';

const plain = { debug: false, calledAs: 'poolwright' };

describe('a failed command', () => {
  test('says what to do when its message does not', () => {
    const error = new UserError('Cluster prod has no NodeClaim web-1.', { code: 'UnknownClaim' });

    expect(errorText(error, plain)).toMatchInlineSnapshot(`
      "Cluster prod has no NodeClaim web-1.
      List the claims with 'poolwright get claims'. The decisions about a deleted claim are kept for a while, by its name or by its uid, which is in the log.
      More: poolwright errors UnknownClaim
      "
    `);
  });

  test('does not say it twice', () => {
    const error = new UserError('Port 80 on 127.0.0.1 is in use. Stop what uses it.', { code: 'PortTaken' });

    expect(errorText(error, plain)).toMatchInlineSnapshot(`
      "Port 80 on 127.0.0.1 is in use. Stop what uses it.
      More: poolwright errors PortTaken
      "
    `);
  });

  test('speaks in the words by which it was called', () => {
    const error = new UserError('cluster "a" is not in the configuration.', { code: 'UnknownCluster' });

    expect(errorText(error, { ...plain, calledAs: 'kubectl poolwright' })).toMatchInlineSnapshot(`
      "cluster "a" is not in the configuration.
      List the clusters with 'kubectl poolwright clusters'.
      More: kubectl poolwright errors UnknownCluster
      "
    `);
  });

  test('leads nowhere for a code that only a newer one knows', () => {
    expect(errorText(new UserError('no such moon.', { code: 'UnknownMoon' }), plain)).toBe('no such moon.\n');
  });

  test('keeps lines, and shows what could move the cursor', () => {
    expect(errorText(new UserError('one\n  two \u001b[2J'), plain)).toBe('one\n  two \\u001b[2J\n');
  });

  test('has one line for what nobody had thought of, and no stack', () => {
    const error = new TypeError("Cannot read properties of undefined\n(reading 'x')");

    expect(errorText(error, plain)).toMatchInlineSnapshot(`
      "Internal error. TypeError: Cannot read properties of undefined (reading 'x') (--debug shows where)
      More: poolwright errors Internal
      "
    `);
  });

  test('shows with --debug where it came from, and what caused it', () => {
    const error = new UserError('No.', { code: 'Internal', cause: new Error('the reason') });

    const text = errorText(error, { ...plain, debug: true });

    expect(text).toContain('error-text.test.ts');
    expect(text).toContain('caused by\nError: the reason');
    expect(errorText(new TypeError('odd'), { ...plain, debug: true })).toContain('error-text.test.ts');
  });

  test('ends with 1, and shows a stack only when it was asked for', async () => {
    const args = ['clusters', '--data-dir', '/nowhere/at/all'];

    expect(await poolwright(...args)).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "No host has ever run in /nowhere/at/all. Start one with 'poolwright start', pass the host's directory with --data-dir, or pass a remote host with --url.
      More: poolwright errors HostUnreachable
      ",
        "out": "",
      }
    `);
    expect((await poolwright(...args, '--debug')).err).toContain('host-api.ts');
  });

  test('that throws what nobody had thought of ends with 1', async () => {
    const err: string[] = [];
    const out = () => {
      throw new RangeError('the moon is full');
    };

    const code = await main(['errors'], { out, err: (text) => void err.push(text) });

    expect({ code, err }).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": [
          "Internal error. RangeError: the moon is full (--debug shows where)
      More: poolwright errors Internal
      ",
        ],
      }
    `);
  });
});
