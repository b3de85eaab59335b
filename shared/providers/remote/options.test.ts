import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { readRemoteOptions } from './options.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-options-'));
  for (const file of ['ca.crt', 'tls.crt', 'tls.key']) writeFileSync(join(folder, file), file);
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (server: { [field: string]: Json }, env: Environment = {}) =>
  readRemoteOptions({ servers: { a: { endpoint: 'a:1', plaintext: true, ...server } } }, env, 'dev');

const problemsOf = (server: { [field: string]: Json }, env: Environment = {}): string => {
  const options = read(server, env);
  return options.ok ? '' : options.error.message;
};

describe('the options of the provider for provider servers', () => {
  it('are what VirtRigaud has, where nothing is said', () => {
    const options = read({});
    if (!options.ok) throw new Error(options.error.message);
    expect(options.value).toMatchObject({ clusterName: 'dev', createsByName: false, capabilitySeconds: 300 });
    expect(options.value.servers.get('a')).toEqual({
      name: 'a',
      type: 'remote',
      address: 'a:1',
      rate: { perSecond: 10, burst: 20 },
      breaker: {},
      seconds: {},
    });
  });

  it('take the variables of VirtRigaud, and the options before them', () => {
    const env = {
      RATE_LIMIT_QPS: '50',
      RATE_LIMIT_BURST: '60',
      CB_FAILURE_THRESHOLD: '5',
      CB_RESET_SECONDS: '30',
      RETRY_MAX_ATTEMPTS: '2',
      RPC_TIMEOUT_CREATE: '10m',
      RPC_TIMEOUT_LIST_VMS: '1m',
    };
    const options = read({ rate: { burst: 7 }, breaker: { failures: 3 }, timeouts: { Create: 60 } }, env);
    if (!options.ok) throw new Error(options.error.message);
    expect(options.value.servers.get('a')).toMatchObject({
      rate: { perSecond: 50, burst: 7 },
      breaker: { failures: 3, openSeconds: 30 },
      seconds: { Create: 60, ListVMs: 60 },
      tries: 2,
    });
  });

  it('find certificates as a mounted Secret has them', () => {
    const options = read({ plaintext: false, tls: { directory: folder, serverName: 'provider' } });
    if (!options.ok) throw new Error(options.error.message);
    expect(options.value.servers.get('a')).toMatchObject({
      tls: { ca: join(folder, 'ca.crt'), cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') },
      serverName: 'provider',
    });
  });

  it('take certificates that are not mounted yet', () => {
    const options = read({ plaintext: false, tls: { directory: '/none' } });
    if (!options.ok) throw new Error(options.error.message);
    expect(options.value.servers.get('a')?.tls).toEqual({
      ca: '/none/ca.crt',
      cert: '/none/tls.crt',
      key: '/none/tls.key',
    });
  });

  it('take certificates as texts', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n';
    const options = read({ plaintext: false, tls: { ca: pem } });
    if (!options.ok) throw new Error(options.error.message);
    expect(options.value.servers.get('a')?.tls).toEqual({ pem: { ca: pem } });
  });

  it('trust the public authorities where none is given', () => {
    const options = read({ plaintext: false, tls: { serverName: 'provider.example' } });
    expect(options).toMatchObject({ ok: true });
    if (options.ok) expect(options.value.servers.get('a')).toMatchObject({ tls: { pem: {} } });
  });

  it.each([
    [{ endpoint: 'nonsense' }, 'options.servers.a.endpoint: must be host:port'],
    [{ plaintext: false }, 'options.servers.a.tls: is missing'],
    [{ tls: { ca: '/none' } }, 'options.servers.a.plaintext: cannot be combined with tls'],
    [{ plaintext: false, tls: { cert: '/a', key: '/b' } }, 'options.servers.a.tls.ca: is missing'],
    [{ plaintext: false, tls: { ca: '/none', cert: '/none' } }, 'needs both, or none of them'],
    [{ tokenFile: '/token' }, 'options.servers.a.tokenFile: needs tls'],
    [{ timeouts: { Creat: 1 } }, 'there is no such call; did you mean "Create"'],
    [{ endpint: 'a:1' }, 'options.servers.a'],
  ])('with %j say what is wrong', (server, says) => {
    expect(problemsOf(server as { [field: string]: Json })).toContain(says);
  });

  it.each([
    [{ RATE_LIMIT_QPS: 'many' }, 'RATE_LIMIT_QPS: must be a number above 0'],
    [{ RPC_TIMEOUT_CREATE: 'long' }, 'RPC_TIMEOUT_CREATE: must be a duration'],
  ])('say which variable is wrong: %j', (env, says) => {
    expect(problemsOf({}, env)).toContain(says);
  });

  it('need a server, and names that can be in a providerID', () => {
    const none = readRemoteOptions({ servers: {} }, {}, 'dev');
    expect(none.ok ? '' : none.error.message).toContain('options.servers: is empty');
    const odd = readRemoteOptions({ servers: { 'A b': { endpoint: 'a:1', plaintext: true } } }, {}, 'dev');
    expect(odd.ok ? '' : odd.error.message).toContain('options.servers.A b: a name has');
  });
});
