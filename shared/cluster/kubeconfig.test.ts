import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      access: { url: 'https://host:6443', ca: pem, cert: pem, key: pem, token: 't0p' },
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
      'an exec plugin',
      '{ server: "https://h" }',
      '{ exec: { command: aws-iam-authenticator } }',
      /exec: aws-iam-authenticator\), which is not supported yet; use a token/,
    ],
    ['a password', '{ server: "https://h" }', '{ username: a, password: hunter2 }', /username and a password/],
    ['an auth provider', '{ server: "https://h" }', '{ auth-provider: { name: gcp } }', /auth-provider/],
    ['impersonation', '{ server: "https://h" }', '{ as: admin, token: hunter2 }', /impersonates/],
    ['no TLS check', '{ server: "https://h", insecure-skip-tls-verify: true }', '{}', /insecure-skip-tls-verify/],
    ['a proxy', '{ server: "https://h", proxy-url: "http://p" }', '{}', /proxy-url/],
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
      /client-key-data is not a PEM/,
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
    ['that is something else', () => write('- 1'), /no kubeconfig/],
    ['without a context', () => write('contexts: []'), /no current-context/],
  ])('%s is refused', (_name, file, expected) => {
    const result = readKubeconfig(typeof file === 'string' ? file : file());
    expect(result).toEqual({ ok: false, text: expect.stringMatching(expected) });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});
