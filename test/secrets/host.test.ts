/** Secrets in every credential of a host, servers that send them back, and nothing of them in anything that comes out. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { rememberUrl } from '../../cli/reach/remembered-host.ts';
import { openDataDirectory } from '../../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../../functions/hosts/local/host.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { createLog } from '../../shared/observe/log/log.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { poolwright } from '../cli/collect.ts';
import { temporaryDirectory, useProcesses } from '../hosts/local/host-process.ts';
import { leaksIn, planted, plantedKey, startEcho } from './echo-server.ts';

useProcesses();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

const kubeconfig = (server: string, user: object, cluster: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  });

it('no log, answer, stored file, command or bundle of a host holds a credential that a server sent back', async () => {
  const folder = temporaryDirectory();
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const hostToken = planted('host');
  const known = [
    ...['intake', 'intake-file', 'webhook', 'webhook-file'].map(plantedKey),
    ...['aws', 'session', 'azure'].map(planted),
  ];
  const echoes = {
    status: await startEcho('status', [...known, hostToken]),
    page: await startEcho('page', known),
    login: await startEcho('login', known),
    text: await startEcho('text', known),
    proxy: await startEcho('page', known),
    aws: await startEcho('aws', known),
    cloud: await startEcho('page', known),
    collector: await startEcho('text', known),
  };
  for (const one of Object.values(echoes)) closing.push(() => one.close());
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', planted('aws'));
  vi.stubEnv('AWS_SESSION_TOKEN', planted('session'));
  vi.stubEnv('AZURE_CLIENT_SECRET', planted('azure'));

  const credential = { token: planted('exec') };
  const command = write(
    'plugin',
    `#!/bin/sh\necho '${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: credential })}'\n`,
  );
  chmodSync(command, 0o755);
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    env: [{ name: 'KEY', value: planted('env') }],
  };
  const works = await startClusterApi({ file: ':memory:', port: 0 });
  closing.push(() => works.close());
  const password = encodeURIComponent(planted('proxy'));
  const providers = ['sim', 'ec2'];
  const config = {
    clusters: {
      token: {
        server: echoes.status.url,
        token: planted('token'),
        providers,
        intake: {
          tokens: [plantedKey('intake')],
          tokenFiles: [write('keys', `${plantedKey('intake-file')}\n`)],
          pathSecrets: [plantedKey('webhook')],
          pathSecretFiles: [write('paths', `${plantedKey('webhook-file')}\n`)],
        },
      },
      file: { server: echoes.page.url, tokenFile: write('token', planted('file')), providers },
      kubeconfig: {
        kubeconfig: write('kubeconfig', kubeconfig(echoes.text.url, { token: planted('kubeconfig') })),
        providers,
      },
      exec: { kubeconfig: write('exec', kubeconfig(echoes.login.url, { exec })), providers },
      works: { server: works.url, token: planted('works'), providers, resyncSeconds: 1 },
      proxied: {
        server: 'http://api.example:80',
        proxyUrl: `http://user:${password}@127.0.0.1:${echoes.proxy.port}`,
        token: planted('proxied'),
        providers,
      },
    },
    providers: {
      sim: { type: 'sim', url: echoes.cloud.url },
      ec2: { type: 'ec2', region: 'eu-west-1', clusterName: 'c', endpoint: echoes.aws.url },
    },
    http: { port: 0, tokenFile: write('host-token', hostToken) },
    metrics: {
      otlp: {
        endpoint: echoes.collector.url,
        headers: `x-team=${encodeURIComponent(planted('otlp'))},authorization=Bearer%20${encodeURIComponent(planted('otlp-bearer'))}`,
        everySeconds: '1h',
      },
    },
  };
  const file = write('poolwright.json', JSON.stringify(config));
  const loaded = loadConfig(file, process.env, {});
  if (!loaded.ok) throw new Error(loaded.text);

  const path = temporaryDirectory();
  const directory = openDataDirectory(path);
  closing.push(() => directory.release());
  const lines: string[] = [];
  const log = createLog({ level: 'debug', pretty: false, sink: (line) => void lines.push(line) });
  const started = await startLocalHost({ config: loaded.config, directory, log, version: 'test' });
  if (!started.ok) throw new Error(started.error.message);
  closing.push(() => started.value.stop());
  const { url } = started.value;

  const outputs: Record<string, string> = {};
  const headers = { authorization: `Bearer ${hostToken}` };
  const ask = async (where: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(`${url}${where}`, { headers, ...init });
    outputs[where] = `${answer.status}\n${await answer.text()}`;
  };
  await ask('/readyz');
  await ask('/v1/checks');
  await ask('/v1/clusters');
  const body = JSON.stringify({ cluster: 'works' });
  const asJson = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
  await ask('/v1/providers/sim/check', asJson);
  await ask('/v1/providers/ec2/check', asJson);
  await ask('/v1/workflows');
  await ask('/v1/dead-letters');
  await ask('/metrics');
  for (const provider of providers) await ask(`/v1/offerings?cluster=works&provider=${provider}`);
  await ask(`/v1/webhook/token/${encodeURIComponent(plantedKey('webhook'))}`, { method: 'POST', body: '{}' });
  const asked = Object.fromEntries(Object.entries(echoes).map(([name, one]) => [name, one.asked() > 0]));

  rememberUrl(path, url, config.http.tokenFile);
  vi.stubEnv('POOLWRIGHT_CONFIG', file);
  const where = ['-d', path, '--kubeconfig', config.clusters.kubeconfig.kubeconfig];
  const bundle = join(folder, 'bundle.tgz');
  for (const words of [['doctor'], ['doctor', 'bundle', '-f', bundle], ['get', 'claims'], ['get', 'providers']]) {
    const { out, err } = await poolwright(...words, ...where);
    outputs[words.join(' ')] = out + err;
  }
  outputs.bundle = execFileSync('tar', ['xzOf', bundle], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  await started.value.stop();
  outputs.log = lines.join('');
  // The token of the data directory is not used here; what is stored besides it must hold none.
  for (const name of readdirSync(path)) outputs[`stored ${name}`] = readFileSync(join(path, name), 'latin1');

  expect(asked).toEqual({
    ...asked,
    status: true,
    page: true,
    login: true,
    text: true,
    proxy: true,
    aws: true,
    cloud: true,
  });
  expect(echoes.collector.asked()).toBeGreaterThan(0);
  const said = ['/readyz', '/v1/checks', '/v1/clusters', '/v1/providers/ec2/check'];
  for (const name of [...said, 'log', 'doctor', 'bundle']) {
    expect(outputs[name], name).toContain('[redacted]');
  }
  const leaks = Object.entries(outputs).flatMap(([name, text]) => leaksIn(text).map((line) => `${name}: ${line}`));
  expect(leaks).toEqual([]);
});
