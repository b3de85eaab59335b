/** A host behind TLS: why it can't be reached is said as it is, and a private authority can be trusted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as plainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { poolwright } from './collect.ts';

const directory = mkdtempSync(join(tmpdir(), 'poolwright-tls-'));
const file = (name: string): string => join(directory, name);
const own = selfSigned('host');
const answer = '{"items":[]}';
const secure = createServer(own, (_, response) => response.end(answer));
const plain = plainServer((_, response) => response.end(answer));

beforeAll(async () => {
  for (const server of [secure, plain]) await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  writeFileSync(file('token'), 'a-token');
  writeFileSync(file('ca.pem'), own.cert);
  writeFileSync(file('other.pem'), selfSigned('another').cert);
  writeFileSync(file('none.pem'), 'nothing');
});
afterAll(() => {
  for (const server of [secure, plain]) server.close();
  rmSync(directory, { recursive: true, force: true });
});

const ask = (port: number, ...more: string[]) =>
  poolwright('pause', '--list', '--url', `https://127.0.0.1:${port}`, '--token-file', file('token'), ...more);
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

it('an authority that --ca-file names is trusted', async () => {
  expect(await ask(portOf(secure), '--ca-file', file('ca.pem'))).toMatchObject({ code: 0 });
});

it('a certificate of another authority is the reason, not that nothing runs', async () => {
  const { code, err } = await ask(portOf(secure), '--ca-file', file('other.pem'));
  expect(code).toBe(1);
  expect(err).toMatch(/could not be reached: .*self-signed.*--ca-file/s);
  expect(err).not.toContain('is not running');
});

it('a server that does not speak TLS is the reason', async () => {
  const { err } = await ask(portOf(plain));
  expect(err).toMatch(/could not be reached|did not answer/);
  expect(err).not.toContain('is not running');
});

it.each([
  [['--ca-file', 'absent.pem'], /--ca-file: .*cannot be read \(ENOENT\)/],
  [['--ca-file', file('none.pem')], /contains no certificate/],
])('%s is refused', async (more, message) => {
  expect((await ask(portOf(secure), ...more)).err).toMatch(message);
});

it('--ca-file needs --url', async () => {
  expect((await poolwright('pause', '--list', '-d', directory, '--ca-file', file('ca.pem'))).err).toContain(
    '--ca-file needs --url',
  );
});
