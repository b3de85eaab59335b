import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolwright } from './collect.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('what is not understood ends with exit code 2 and a hint', () => {
  test.each<[string, string[], string]>([
    ['a misspelt command', ['strat'], 'Did you mean start?'],
    ['an unlike command', ['frobnicate'], 'It knows start, explain, pause'],
    ['a misspelt option', ['start', '--htp-port', '1'], 'Did you mean --http-port?'],
    ['a misspelt option of the default command', ['--log-levl', 'info'], 'Did you mean --log-level?'],
    ['a port that is a word', ['start', '--http-port', 'http'], 'A port is a whole number from 1 to 65535'],
    ['a port that is too large', ['simulate', '--cloud-port', '65536'], 'A port is a whole number from 1 to 65535'],
    ['a level that there is not', ['start', '--log-level', 'inof'], 'did you mean "info"?'],
    ['a missing name', ['explain'], "missing required argument 'claim'"],
    ['something else than cluster or provider', ['pause', 'node', 'a'], 'Allowed choices are cluster, provider'],
  ])('%s', async (_, args, hint) => {
    const { code, out, err } = await poolwright(...args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(hint);
    expect(err.split('\n').length).toBeLessThanOrEqual(4);
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

  test('a configuration with a misspelt field', () => {
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
      await failsWith(['start', '-d', own, '--http-port', String(port)], `Port ${port} on 127.0.0.1 is taken`);
    } finally {
      server.close();
    }
  });

  test.each<[string, string, string[]]>([
    ['no JSON', '{bootSeconds', ['--settings is not JSON', '{"bootSeconds": 2']],
    ['an unknown setting', '{"bootSecond": 1}', ['bootSecond', 'did you mean "bootSeconds"?']],
    ['a wrong value', '{"bootSeconds": "soon"}', ['bootSeconds', 'expected number']],
    ['a wrong fault', '{"faults": [{"on": "create", "do": {"kind": "sold"}}]}', ['faults.0.do.kind']],
    ['something else', '[]', ['the whole', 'expected object']],
  ])('settings of the cloud with %s', (_, settings, parts) =>
    failsWith(['simulate', '-d', join(directory, 'world'), '--settings', settings], ...parts),
  );

  test('a command for a host that never ran', () =>
    failsWith(['explain', 'first', '-d', join(directory, 'nowhere')], 'No host has ever run in', '--data-dir'));

  test('a command for a host that does not run any more', () => {
    writeFileSync(join(directory, 'token'), 'a token of sixteen letters');
    // Nothing listens on port 1, and nobody may.
    writeFileSync(join(directory, 'http.json'), '{"url":"http://127.0.0.1:1"}');
    return failsWith(['dead-letters', '-d', directory], 'does not run', 'poolwright start --data-dir');
  });
});
