import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readKubeconfig } from './kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
const data = Buffer.from(pem).toString('base64');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-'));
  writeFileSync(join(folder, 'ca.pem'), pem);
});

let count = 0;
function write(text: string): string {
  count += 1;
  const file = join(folder, `config-${count}`);
  writeFileSync(file, text);
  return file;
}

function config(cluster: string, user: string): string {
  return write(`
current-context: one
contexts:
  - { name: one, context: { cluster: c, user: u } }
  - { name: other, context: { cluster: plain, user: "" } }
clusters:
  - { name: c, cluster: ${cluster} }
  - { name: plain, cluster: { server: "http://127.0.0.1:1" } }
users:
  - { name: u, user: ${user} }
`);
}

describe('a kubeconfig', () => {
  it('gives server, certificates and token of the current context', () => {
    const file = config(
      `{ server: "https://host:6443", certificate-authority: ca.pem }`,
      `{ client-certificate-data: ${data}, client-key-data: ${data}, token: t0p }`,
    );
    expect(readKubeconfig(file)).toEqual({
      ok: true,
      context: 'one',
      access: {
        url: 'https://host:6443',
        ca: pem,
        cert: pem,
        key: pem,
        token: 't0p',
        files: { ca: join(folder, 'ca.pem') },
      },
    });
  });

  it('gives another context by name, and needs no user', () => {
    const file = config('{ server: "https://host" }', '{}');
    expect(readKubeconfig(file, 'other')).toEqual({
      ok: true,
      context: 'other',
      access: { url: 'http://127.0.0.1:1' },
    });
  });

  it('prefers the token file, relative to itself', () => {
    const file = config('{ server: "https://host" }', '{ token: t0p, tokenFile: sub/token }');
    expect(readKubeconfig(file)).toMatchObject({ access: { tokenFile: join(folder, 'sub/token') } });
  });

  it.each([
    [
      'an exec plugin of an old version',
      '{ server: "https://h" }',
      '{ exec: { command: iam, apiVersion: client.authentication.k8s.io/v1alpha1 } }',
      /\(iam\) has the apiVersion "client.authentication.k8s.io\/v1alpha1", which is not supported; use client/,
    ],
    [
      'an exec plugin that asks questions',
      '{ server: "https://h" }',
      '{ exec: { command: iam, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always } }',
      /the host has no terminal/,
    ],
    ['an exec plugin without a command', '{ server: "https://h" }', '{ exec: {} }', /has no command/],
    ['a password', '{ server: "https://h" }', '{ username: a, password: hunter2 }', /username and a password/],
    ['an auth provider', '{ server: "https://h" }', '{ auth-provider: { name: gcp } }', /auth-provider/],
    ['half an impersonation', '{ server: "https://h" }', '{ as-groups: [a], token: hunter2 }', /without as$/],
    ['no TLS check', '{ server: "https://h", insecure-skip-tls-verify: true }', '{}', /insecure-skip-tls-verify/],
    [
      'a proxy of another sort',
      '{ server: "https://h", proxy-url: "socks5://u:hunter2@p" }',
      '{}',
      /proxy-url of the cluster "c" uses socks5:/,
    ],
    ['no server', '{}', '{}', /cluster "c" needs a server/],
    ['a strange server', '{ server: "ftp://h" }', '{}', /http:\/\/ or https:\/\//],
    [
      'a key without its certificate',
      '{ server: "https://h" }',
      `{ client-key-data: ${data} }`,
      /both client-certificate and client-key/,
    ],
    [
      'data that is no PEM',
      '{ server: "https://h" }',
      '{ client-key-data: aHVudGVyMg== }',
      /client-key-data is not base64-encoded PEM/,
    ],
    [
      'a missing file',
      '{ server: "https://h", certificate-authority: nope.pem }',
      '{}',
      /nope\.pem cannot be read \(ENOENT\)/,
    ],
  ])('with %s is refused with the reason', (_name, cluster, user, expected) => {
    const file = config(cluster, user);
    const result = readKubeconfig(file);
    expect(result).toEqual({ ok: false, text: expect.stringMatching(expected) });
    expect(JSON.stringify(result)).toContain(file);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('gives everything else that kubectl reads', () => {
    const file = config(
      `{ server: "https://h", insecure-skip-tls-verify: true, tls-server-name: kube, proxy-url: "http://p:3128",
         extensions: [{ name: client.authentication.k8s.io/exec, extension: { audience: a } }] }`,
      `{ as: admin, as-uid: "7", as-groups: [one, two], as-user-extra: { scope: [x] },
         exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [a, 1], interactiveMode: Never,
                 env: [{ name: KEY, value: v }], installHint: "Install it.", provideClusterInfo: true } }`,
    );
    expect(readKubeconfig(file, undefined, { allowInsecure: true })).toEqual({
      ok: true,
      context: 'one',
      access: {
        url: 'https://h',
        skipTlsVerify: true,
        tlsServerName: 'kube',
        proxyUrl: 'http://p:3128',
        impersonate: { user: 'admin', uid: '7', groups: ['one', 'two'], extra: { scope: ['x'] } },
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: join(folder, 'bin/login'),
          args: ['a', '1'],
          env: { KEY: 'v' },
          installHint: 'Install it.',
          cluster: {
            server: 'https://h',
            'tls-server-name': 'kube',
            'insecure-skip-tls-verify': true,
            'proxy-url': 'http://p:3128',
            config: { audience: 'a' },
          },
        },
      },
    });
  });

  it('is one configuration in several files: the first that names something wins, and one may be missing', () => {
    const sub = mkdtempSync(join(folder, 'sub-'));
    writeFileSync(join(sub, 'ca.pem'), `${pem}sub`);
    const first = write(
      'contexts: [{ name: one, context: { cluster: c, user: u } }]\nusers: [{ name: u, user: { token: first } }]',
    );
    const second = join(sub, 'config');
    writeFileSync(
      second,
      `current-context: one
contexts: [{ name: one, context: { cluster: other } }]
clusters: [{ name: c, cluster: { server: "https://second", certificate-authority: ca.pem } }]
users: [{ name: u, user: { token: second } }]`,
    );
    expect(readKubeconfig([first, join(folder, 'missing'), second].join(delimiter))).toMatchObject({
      ok: true,
      access: { url: 'https://second', token: 'first', ca: `${pem}sub`, files: { ca: join(sub, 'ca.pem') } },
    });
    expect(readKubeconfig(['/nowhere/1', '/nowhere/2'].join(delimiter))).toMatchObject({
      ok: false,
      text: expect.stringContaining('none of these files exists'),
    });
  });

  it('names the nearest context', () => {
    const result = readKubeconfig(config('{}', '{}'), 'othr');
    expect(result).toMatchObject({
      ok: false,
      text: expect.stringMatching(/no entry "othr" under contexts: it has one, other; did you mean "other"\?/),
    });
  });

  it.each([
    ['that is missing', '/nowhere/config', /ENOENT/],
    ['that is not YAML', () => write('a: [hunter2'), /not valid YAML/],
    ['that is something else', () => write('- 1'), /not a kubeconfig/],
    ['that is another object', () => write('kind: Deployment\nspec: {}'), /not a kubeconfig but a Deployment/],
    ['that is any other map', () => write('a: 1'), /not a kubeconfig: it has no contexts/],
    ['without a context', () => write('contexts: []'), /no current-context/],
  ])('%s is refused', (_name, file, expected) => {
    const result = readKubeconfig(typeof file === 'string' ? file : file());
    expect(result).toEqual({ ok: false, text: expect.stringMatching(expected) });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});
