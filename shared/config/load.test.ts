import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Config, type ConfigResult, loadConfig, resolveConfig } from './load.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-'));
});

let files = 0;
function write(text: string, extension = 'yaml'): string {
  files += 1;
  const file = join(folder, `config-${files}.${extension}`);
  writeFileSync(file, text);
  return file;
}

function load(text: string, env: Record<string, string> = {}, overrides = {}): ConfigResult {
  return loadConfig(write(text), env, overrides);
}

function good(result: ConfigResult): Config {
  if (!result.ok) throw new Error(result.text);
  return result.config;
}

/** The lines of the error text, without the folder in front of the file's name. */
function bad(result: ConfigResult): string[] {
  if (result.ok) throw new Error('expected a mistake');
  return result.text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(/^.*config-\d+\.(yaml|json)/, 'file'));
}

describe('defaults', () => {
  it('fill everything when nothing is written', () => {
    expect(good(loadConfig(undefined, {}))).toMatchObject({
      deployment: 'local',
      clusters: {},
      http: { host: '127.0.0.1' },
      workflow: { retention: 86_400, setAsideAfterKills: 3 },
      log: { level: 'info', pretty: 'auto' },
    });
  });

  it('fill clusters and providers too', () => {
    const config = good(
      resolveConfig({
        clusters: { a: { server: 'http://127.0.0.1:1' } },
        providers: { sim: { type: 'sim', url: 'http://127.0.0.1:2' } },
      }),
    );
    expect(config.clusters.a).toMatchObject({
      providers: ['sim'],
      paused: false,
      garbageCollection: { maxDeletesPercent: 10, maxDeletesAtLeast: 5 },
    });
    expect(config.providers.sim).toMatchObject({ paused: false, deadlines: {} });
  });

  it('hold for a key with nothing behind it', () => {
    expect(good(load('http:\nlog: {}\nclusters:\n')).http.port).toBe(8470);
  });

  it('cannot be changed afterwards', () => {
    const config = good(resolveConfig({}));
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });
});

describe('where values come from', () => {
  it('is YAML or JSON, then the environment, then overrides', () => {
    const text = 'http: { port: 1 }\nlog: { level: warn }\nworkflow: { concurrency: 7 }\n';
    const config = good(
      load(text, { POOLWRIGHT_LOG_LEVEL: 'debug', POOLWRIGHT_HTTP_PORT: '2' }, { http: { port: 3, host: undefined } }),
    );
    expect([config.http.port, config.log.level, config.workflow.concurrency]).toEqual([3, 'debug', 7]);
    expect(good(loadConfig(write('{"http": {"port": 9}}', 'json'), {})).http.port).toBe(9);
  });

  it('reads durations in every notation', () => {
    const config = good(load('retry: { firstPause: 500ms, maxPause: 1h30m }\ndecisions: { keep: 90 }\n'));
    expect([config.retry.firstPause, config.retry.maxPause, config.decisions.keep]).toEqual([0.5, 5400, 90]);
  });

  it('takes paths from where the file is', () => {
    const config = good(load('clusters: { a: { kubeconfig: sub/kubeconfig } }\nhttp: { tokenFile: /abs/token }\n'));
    expect(config.clusters.a?.kubeconfig).toBe(join(folder, 'sub/kubeconfig'));
    expect(config.http.tokenFile).toBe('/abs/token');
  });

  it('names what stands there twice, and shows nothing of what stands behind it', () => {
    const text =
      'clusters:\n  east: { server: "http://127.0.0.1:1" }\n  east: { server: "http://h", token: hunter2 }\n';
    const loaded = load(text);
    expect(loaded.ok).toBe(false);
    const said = JSON.stringify(loaded);
    expect(said).toMatch(/:3: .{1,2}east.{1,2} occurs twice; clusters/);
    expect(said).not.toContain('hunter2');
  });

  it('takes the files of keys and of the certificate from there too, in lists as well', () => {
    const config = good(
      load(
        'http: { tls: { certFile: ./a.crt, keyFile: a.key, clientCaFile: ca.crt } }\n' +
          'clusters: { a: { server: "http://127.0.0.1:1", intake: { tokenFiles: [./one, /two], pathSecretFiles: [three] } } }\n',
      ),
    );
    const [certFile, keyFile, clientCaFile] = ['a.crt', 'a.key', 'ca.crt'].map((name) => join(folder, name));
    expect(config.http.tls).toEqual({ certFile, keyFile, clientCaFile });
    expect(config.clusters.a?.intake).toMatchObject({
      tokenFiles: [join(folder, 'one'), '/two'],
      pathSecretFiles: [join(folder, 'three')],
    });
  });

  it('reads variables of clusters whose names have dashes, and lists with commas', () => {
    const config = good(
      loadConfig(undefined, {
        POOLWRIGHT_DEPLOYMENT: '123',
        POOLWRIGHT_CLUSTERS_EAST_1_SERVER: 'http://127.0.0.1:1',
        POOLWRIGHT_CLUSTERS_EAST_1_MAX_INSTANCES: '40',
        POOLWRIGHT_CLUSTERS_EAST_1_PAUSED: 'true',
        POOLWRIGHT_CLUSTERS_EAST_1_PROVIDERS: 'one, two',
        POOLWRIGHT_CLUSTERS_EAST_1_GARBAGE_COLLECTION_GRACE_SECONDS: '2m',
        POOLWRIGHT_PROVIDERS_ONE_TYPE: 'sim',
        POOLWRIGHT_PROVIDERS_ONE_URL: 'http://127.0.0.1:2',
        POOLWRIGHT_PROVIDERS_TWO_TYPE: 'sim',
        POOLWRIGHT_PROVIDERS_TWO_URL: 'http://127.0.0.1:3',
        POOLWRIGHT_LOG_PRETTY: 'false',
        UNRELATED: 'x',
      }),
    );
    expect(config.deployment).toBe('123');
    expect(config.log.pretty).toBe(false);
    expect(config.clusters['east-1']).toMatchObject({
      maxInstances: 40,
      paused: true,
      providers: ['one', 'two'],
      garbageCollection: { graceSeconds: 120 },
    });
  });

  it('ignores what Kubernetes puts into the environment for a Service of our name', () => {
    const config = good(
      loadConfig(undefined, {
        POOLWRIGHT_SERVICE_HOST: '10.0.0.1',
        POOLWRIGHT_SERVICE_PORT_HTTP: '80',
        POOLWRIGHT_PORT: 'tcp://10.0.0.1:80',
        POOLWRIGHT_PORT_80_TCP_ADDR: '10.0.0.1',
        POOLWRIGHT_HTTP_PORT: 'tcp://10.0.0.1:80',
        POOLWRIGHT_DATA_DIR: '/data',
      }),
    );
    expect(config.http.port).toBe(8470);
  });
});

describe('a mistake names file, line, field, value, what is allowed and the nearest name', () => {
  const providers = 'providers:\n  sim:\n    type: sim\n    url: http://127.0.0.1:1\n';
  it.each<[string, string, string | RegExp]>([
    [
      'an unknown field',
      'http:\n  prot: 1\n',
      'file:2: http.prot is not a known field; allowed here: host, port, tokenFile, callers, tls; did you mean "port"?',
    ],
    [
      'an unknown field of a provider',
      'providers:\n  sim:\n    type: sim\n    url: http://h\n    deadlines:\n      lunch: 5m\n',
      'file:6: providers.sim.deadlines.lunch is not a known field; allowed here: launch, registration, initialization; did you mean "launch"?',
    ],
    [
      'a context without a kubeconfig',
      'clusters:\n  a:\n    server: http://h\n    context: c\n',
      'file:4: clusters.a.context needs kubeconfig as well: it names a context in that file; found "c"',
    ],
    [
      'too many YAML aliases',
      `a: &a [1,1]\nb: &b [${'*a,'.repeat(40)}*a]\nc: [${'*b,'.repeat(40)}*b]\n`,
      'file: the file uses too many YAML aliases',
    ],
    ['a YAML alias of nothing', 'a: *b\n', 'file: the file has the alias *b without an anchor &b'],
    [
      'a wrong choice',
      'log:\n  level: wran\n',
      'file:2: log.level must be one of: debug, info, warn, error, silent; found "wran"; did you mean "warn"?',
    ],
    [
      'a wrong type',
      'http:\n  host: h\n  port: many\n  tokenFile: t\n',
      'file:3: http.port must be a number; found "many"',
    ],
    ['a part of a number', 'http: { port: 1.5 }\n', 'file:1: http.port must be a whole number; found 1.5'],
    ['too large a number', 'http: { port: 70000 }\n', 'file:1: http.port must be at most 65535; found 70000'],
    ['too small a number', 'queue:\n  maxReceives: 0\n', 'file:2: queue.maxReceives must be at least 1; found 0'],
    [
      'a wrong duration',
      'retry:\n  firstPause: soon\n',
      'file:2: retry.firstPause must be a duration such as "30s", "15m" or "1h30m", or a number of seconds, from 1ms to 366d; found "soon"',
    ],
    ['a wrong type of section', 'http: 8080\n', 'file:1: http must be a map of fields; found 8080'],
    [
      'a missing field',
      'providers:\n  sim:\n    type: sim\n',
      'file:2: providers.sim.url must be the http:// or https:// URL of the simulated cloud; it is missing',
    ],
    [
      'a missing choice',
      'providers:\n  sim:\n    url: http://127.0.0.1:1\n',
      'file:2: providers.sim.type must be one of: sim, aks, arc, ec2, cloudstack, remote; it is missing',
    ],
    [
      'a wrong URL',
      'providers: { sim: { type: sim, url: "ftp://u:hunter2@h" } }\n',
      'file:1: providers.sim.url must be an http:// or https:// URL; found "ftp://u:[redacted]@h"',
    ],
    [
      'a wrong name',
      'providers:\n  Sim_1: { type: sim, url: "http://h" }\n',
      'file:2: providers.Sim_1 must be 1 to 40 lowercase letters, digits and dashes, starting and ending with a letter or digit',
    ],
    [
      'a cluster that cannot be reached',
      'clusters:\n  a:\n    paused: true\n',
      'file:2: clusters.a needs one of server, kubeconfig, inCluster or access, so that the host can reach the cluster',
    ],
    [
      'two ways to a cluster',
      'clusters:\n  a:\n    server: http://h\n    kubeconfig: /k\n',
      'file:4: clusters.a.kubeconfig cannot be combined with server; set only one of them; found "/k"',
    ],
    [
      'a certificate without its key',
      'clusters:\n  a:\n    server: https://h\n    clientCertificate: c.pem\n',
      /^file:4: clusters\.a\.clientCertificate needs clientKey as well/,
    ],
    [
      'an authority for plain HTTP',
      'clusters:\n  a:\n    server: http://h\n    certificateAuthority: /c.pem\n',
      /^file:4: clusters\.a\.certificateAuthority needs a server that begins with https/,
    ],
    [
      'credentials beside a service account',
      'clusters:\n  a:\n    inCluster: true\n    tokenFile: /t\n',
      /^file:4: clusters\.a\.tokenFile cannot be combined with inCluster/,
    ],
    [
      'a proxy that opens no tunnels',
      'clusters:\n  a:\n    server: https://h\n    proxyUrl: socks5://p\n',
      /^file:4: clusters\.a\.proxyUrl uses socks5:/,
    ],
    [
      'a default that does not serve the cluster',
      `${providers}clusters:\n  a:\n    server: http://h\n    defaultProvider: smi\n`,
      /^file:8: clusters\.a\.defaultProvider is not one of this cluster's providers: sim; .*did you mean "sim"\?$/,
    ],
    [
      'two clusters of one name',
      'clusters:\n  a: { server: "http://h" }\n  a: { server: "http://i" }\n',
      /^file:3: "a" occurs twice; clusters/,
    ],
    [
      'an unknown provider',
      `${providers}clusters:\n  a:\n    server: http://h\n    providers:\n      - smi\n`,
      'file:9: clusters.a.providers[0] is not a configured provider; configured providers: sim; found "smi"; did you mean "sim"?',
    ],
    [
      'an open port without a token',
      'http:\n  host: 0.0.0.0\n',
      'file:2: http.host is reachable from other machines, so http.tokenFile must be set; or use 127.0.0.1; found "0.0.0.0"',
    ],
    [
      'pauses the wrong way round',
      'retry:\n  maxPause: 100ms\n',
      'file:2: retry.maxPause must not be shorter than retry.firstPause; found "100ms"',
    ],
    [
      'a key of a cluster that is also the key of a caller',
      'clusters:\n  a:\n    server: http://h\n    intake:\n      tokens: [a-token-0123456789]\nhttp:\n  callers:\n    b:\n      role: read\n      tokens: [a-token-0123456789]\n',
      /^file:10: http\.callers\.b\.tokens\[0\] is also a key of cluster "a"; (?!.*a-token)/,
    ],
    [
      'a caller without a role',
      'http:\n  callers:\n    b:\n      tokens: [a-token-0123456789]\n',
      'file:3: http.callers.b.role must be one of: read, operate, admin; it is missing',
    ],
    [
      'a caller with the name of the host token',
      'http:\n  callers:\n    host-token:\n      role: read\n',
      /^file:3: http\.callers\.host-token is the name that the audit log gives/,
    ],
    [
      'a key of two clusters, which is not shown',
      'clusters:\n  a:\n    server: http://h\n    intake:\n      tokens: [a-token-0123456789]\n  b:\n    server: http://h\n    intake:\n      tokens: [a-token-0123456789]\n',
      /^file:9: clusters\.b\.intake\.tokens\[0\] is also a key of cluster "a"; (?!.*a-token)/,
    ],
    [
      'a key that can be guessed, which is not shown',
      'clusters:\n  a:\n    server: http://h\n    intake:\n      tokens: [hunter2]\n',
      /^file:5: clusters\.a\.intake\.tokens\[0\] must be 16 to 512 letters(?!.*hunter2)/,
    ],
    ['a file that is no map', '- 1\n', 'file:1: must be a map of fields; found a list'],
  ])('%s', (_name, text, expected) => {
    expect(bad(load(text))).toEqual([typeof expected === 'string' ? expected : expect.stringMatching(expected)]);
  });

  it('an unknown section', () => {
    const [line] = bad(load('\n\nworkflows: {}\n'));
    expect(line).toMatch(
      /^file:3: workflows is not a known field; allowed here: .*http, .*; did you mean "workflow"\?$/,
    );
  });

  it('all at once, those between fields too', () => {
    const result = load('http:\n  host: 0.0.0.0\n  prot: 1\nlog: { level: loud }\nclusters: { a: {} }\n', {
      POOLWRIGHT_HTTP_PROT: '1',
    });
    expect(bad(result)).toHaveLength(5);
    expect(result.ok ? '' : result.text).toMatch(/^The configuration has 5 mistakes:\n/);
  });

  it('behind a name that is wrong too', () => {
    const text = [
      'clusters:',
      '  Prod_1: { server: nope, access: bogus, conext: x }',
      'providers:',
      '  No_1: { type: nothing, paused: maybe }',
      'log: { level: loud }',
    ].join('\n');
    const paths = bad(load(`${text}\n`)).map((line) => line.split(' ').slice(0, 2).join(' '));
    expect(paths).toEqual(
      expect.arrayContaining([
        'file:2: clusters.Prod_1',
        'file:2: clusters.Prod_1.server',
        'file:2: clusters.Prod_1.access',
        'file:2: clusters.Prod_1.conext',
        'file:4: providers.No_1',
        'file:4: providers.No_1.type',
        'file:4: providers.No_1.paused',
        'file:5: log.level',
      ]),
    );
  });

  it('also where an override would cover it', () => {
    expect(bad(load('http: 8080\n', {}, { http: { port: 1 } }))).toEqual([
      'file:1: http must be a map of fields; found 8080',
    ]);
  });

  it('and says which variable or option it came from', () => {
    const result = load(
      'http: { port: 1 }\n',
      { POOLWRIGHT_HTTP_PORT: 'x', POOLWRIGHT_LOG_LEVL: 'info' },
      { log: { level: 'loud' } },
    );
    expect(bad(result)).toEqual([
      'POOLWRIGHT_LOG_LEVL: is not a known variable; did you mean "POOLWRIGHT_LOG_LEVEL"?',
      'POOLWRIGHT_HTTP_PORT: http.port must be a number; found "x"',
      'command line: log.level must be one of: debug, info, warn, error, silent; found "loud"',
    ]);
  });

  it.each([
    [
      'a file that is missing',
      () => loadConfig(join(folder, 'nope.yaml'), {}),
      /nope\.yaml: the file cannot be read \(ENOENT\)/,
    ],
    ['a file that is no YAML', () => load('http:\n  port: [1\n'), /:\d+: /],
    ['a key that is there twice', () => load('log: {}\nlog: {}\n'), /:2: "log" occurs twice/],
  ])('for %s', (_name, attempt, expected) => {
    const result = attempt();
    expect(result).toMatchObject({ ok: false, text: expect.stringMatching(expected) });
  });
});

describe('secrets', () => {
  it.each([
    ['of the wrong type', 'clusters: { a: { server: "http://h", token: { x: hunter2 } } }\n'],
    ['beside a token file', 'clusters: { a: { server: "http://h", token: hunter2, tokenFile: f } }\n'],
    ['under a misspelled key', 'clusters: { a: { server: "http://h", tokn: hunter2 } }\n'],
    ['in broken YAML', 'clusters: { a: { token: hunter2\n'],
  ])('never show up in an error: %s', (_name, text) => {
    const result = load(text);
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});

test.prop([fc.anything()])('whatever is written ends in a configuration or in a text, never in a crash', (value) => {
  const result = resolveConfig(value as object);
  expect(result.ok || result.text.length > 0).toBe(true);
});

describe('a configuration that stands in no file', () => {
  const text = (yaml: string) => ({ name: 'APP_SETTING', text: yaml, folder: '/package' });

  it('is read like one, with its paths from the folder that it belongs to', () => {
    const { clusters } = good(loadConfig(text('clusters: { a: { server: "https://a", tokenFile: a.token } }'), {}));
    expect(clusters.a?.tokenFile).toBe('/package/a.token');
  });

  it('has its mistakes told under its name, with their lines', () => {
    expect(loadConfig(text('deployment: x\nhttp:\n  port: many'), {})).toMatchObject({
      ok: false,
      text: expect.stringContaining('APP_SETTING:3: http.port'),
    });
  });
});
