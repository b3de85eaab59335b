import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { main } from '../../cli/main.ts';
import { poolwright } from './collect.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('what is not understood ends with exit code 2 and a hint', () => {
  test.each<[string, string[], string]>([
    ['a misspelled command', ['strat'], 'Did you mean start?'],
    [
      'a misspelled command below another',
      ['deadletters', 'shwo', '1'],
      "deadletters has no command 'shwo'. Did you mean show?",
    ],
    ['an unlike command below another', ['workflows', 'frobnicate'], 'Commands: list, show, restart, help.'],
    ['an unlike command', ['frobnicate'], 'Commands: start, '],
    ['a misspelled option', ['start', '--htp-port', '1'], 'Did you mean --http-port?'],
    ['an option without a command', ['--log-level', 'info'], "unknown option '--log-level'"],
    ['a port that is a word', ['start', '--http-port', 'http'], 'A port is a whole number from 1 to 65535'],
    ['a port that is too large', ['simulate', '--cloud-port', '65536'], 'A port is a whole number from 1 to 65535'],
    ['a level that there is not', ['start', '--log-level', 'inof'], 'did you mean "info"?'],
    ['a missing name', ['explain'], "missing required argument 'target'"],
    [
      'something else than cluster or provider',
      ['pause', 'node', 'a'],
      'Unknown kind "node"; it must be one of cluster, provider',
    ],
  ])('%s', async (_, args, hint) => {
    const { code, out, err } = await poolwright(...args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(hint);
    expect(err).toMatch(/^More: poolwright errors [A-Z]\w+$/m);
    expect(err.split('\n').length).toBeLessThanOrEqual(5);
  });

  test('in the words by which it was called', async () => {
    const err: string[] = [];
    await main(['explian'], { out: () => undefined, err: (text) => void err.push(text) }, 'kubectl poolwright');

    expect(err.join('')).toBe(
      "error: kubectl poolwright has no command 'explian'. Did you mean explain?\nMore: kubectl poolwright errors InvalidCommand\n",
    );
  });

  test('help for a command that there is not is no error of its own', async () => {
    expect((await poolwright('help', 'frobnicate')).err).not.toContain('More:');
  });

  test.each<[string, string, string[]]>([
    ['no JSON', '{bootSeconds', ['--settings is not JSON', '{"bootSeconds": 2']],
    ['an unknown setting', '{"bootSecond": 1}', ['bootSecond', 'did you mean "bootSeconds"?']],
    ['a wrong value', '{"bootSeconds": "soon"}', ['bootSeconds', 'expected number']],
    ['a wrong fault', '{"faults": [{"on": "create", "do": {"kind": "sold"}}]}', ['faults.0.do.kind']],
    ['something else', '[]', ['the whole', 'expected object']],
  ])('settings of the cloud with %s', async (_, settings, parts) => {
    const { code, out, err } = await poolwright('simulate', '-d', join(directory, 'world'), '--settings', settings);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const part of parts) expect(err).toContain(part);
  });

  test.each([
    [['--token-file', 'a'], '--token-file needs --url'],
    [['--url', 'http://127.0.0.1:1'], '--url needs --token-file'],
    [['--url', 'nonsense', '--token-file', 'a'], '--url must be'],
  ])('half an address of a host: %j', async (args, expected) => {
    const { code, err } = await poolwright('deadletters', ...args);

    expect(code).toBe(2);
    expect(err).toContain(expected);
  });
});

test.skipIf(process.platform !== 'linux')('a full disk below the output is told without a stack', () => {
  const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [cli, 'errors'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);

  expect({ status, err: stderr.toString() }).toEqual({
    status: 1,
    err: 'The output could not be written (ENOSPC).\n',
  });
});

describe('flags of kubectl', () => {
  const none = () => join(directory, 'none');

  test.each([
    ['as two words', () => ['--kubeconfig', none()]],
    ['as one', () => [`--kubeconfig=${none()}`]],
    ['several', () => ['-A', '--context', 'a', '--kubeconfig', none()]],
  ])('may stand before the command, %s', async (_, flags) => {
    const { code, err } = await poolwright(...flags(), 'get', 'claims');

    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${none()}: it cannot be read (ENOENT)`) });
  });

  test('are refused in the name of the command that does not take them', async () => {
    expect((await poolwright('-n', 'default', 'audit')).err).toContain("See 'poolwright audit --help'.");
  });
});

describe('what cannot be done ends with exit code 1 and says what to do', () => {
  const failsWith = async (args: string[], ...parts: string[]): Promise<void> => {
    const { code, out, err } = await poolwright(...args);

    expect({ code, out }).toEqual({ code: 1, out: '' });
    for (const part of parts) expect(err).toContain(part);
    expect(err).not.toContain('    at ');
  };

  test('a configuration that is not there', () =>
    failsWith(['start', '-d', directory, '-c', join(directory, 'none.yaml')], 'none.yaml', 'check the path'));

  test('a configuration with a misspelled field', () => {
    const file = join(directory, 'wrong.yaml');
    writeFileSync(file, 'clusters:\n  a:\n    sever: http://127.0.0.1:1\n');
    return failsWith(['start', '-d', directory, '-c', file], `${file}:3`, 'clusters.a.sever', 'did you mean "server"?');
  });

  test('a port that somebody else has', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    try {
      const own = join(directory, 'taken');
      await failsWith(['start', '-d', own, '--http-port', String(port)], `Port ${port} on 127.0.0.1 is in use`);
    } finally {
      server.close();
    }
  });

  test('a command for a host that never ran', () =>
    failsWith(['explain', 'first', '-d', join(directory, 'nowhere')], 'No host has ever run in', '--data-dir'));

  test('a command for a host that does not run any more', () => {
    writeFileSync(join(directory, 'token'), 'a token of sixteen letters');
    // Nothing listens on port 1, and nobody may.
    writeFileSync(join(directory, 'http.json'), '{"url":"http://127.0.0.1:1"}');
    return failsWith(['deadletters', '-d', directory], 'is not running', 'poolwright start --data-dir');
  });
});
