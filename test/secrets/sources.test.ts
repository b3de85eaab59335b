/** Each source of a credential, a server that sends the credential back, and what is left of it in the failure. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectionFrom } from '../../functions/hosts/azure/connections.ts';
import { ok } from '../../shared/base/result.ts';
import { manualClock, systemClock } from '../../shared/base/runtime.ts';
import { redactSecrets } from '../../shared/base/secrets/known-secrets.ts';
import type { ClusterAccess } from '../../shared/kube/access/access.ts';
import { inClusterAccess } from '../../shared/kube/access/in-cluster.ts';
import { readKubeconfigText } from '../../shared/kube/access/kubeconfig.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodes } from '../../shared/kube/contract.ts';
import { collectingLog, createLog, silentLog } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { OtlpPush } from '../../shared/observe/otlp/push.ts';
import { assumeRole } from '../../shared/platforms/aws/credentials.ts';
import { awsProblem } from '../../shared/platforms/aws/errors.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';
import { connectAzure } from '../../shared/platforms/azure/connection.ts';
import { createEc2Calls } from '../../shared/providers/ec2/calls/calls.ts';
import { openSqs } from '../../shared/queue/sqs/client.ts';
import { readEndpoint } from '../../shared/workflow/durable-functions/endpoint.ts';
import { startScriptedAws } from '../aws/scripted-aws.ts';
import { connectScripted, startScriptedArm, testOptions } from '../azure/scripted-arm.ts';
import { type Kind, leaksIn, planted, startEcho } from './echo-server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

const folder = mkdtempSync(join(tmpdir(), 'poolwright-sources-'));
const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o700 });
  chmodSync(file, 0o700);
  return file;
};
const echo = async (kind: Kind) => {
  const server = await startEcho(kind);
  closing.push(() => server.close());
  return server;
};

const apiVersion = 'client.authentication.k8s.io/v1' as const;
const execOf = (token: string) => ({
  apiVersion,
  command: write(
    'plugin',
    `#!/bin/sh\necho '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } })}'\n`,
  ),
  args: [],
  env: {},
});

describe('the API server of a cluster, or a proxy before it, sends back', () => {
  const sources: [string, (url: string) => ClusterAccess][] = [
    ['a token', (url) => ({ url, token: planted('token') })],
    ['a token of a file', (url) => ({ url, tokenFile: write('token', `${planted('file')}\n`) })],
    ['a token of a command', (url) => ({ url, exec: execOf(planted('exec')) })],
    ['a token of a cloud', (url) => ({ url, issue: async () => ok({ token: planted('issued') }) })],
    [
      'a token of a kubeconfig',
      (url) => {
        const cluster = { name: 'c', cluster: { server: url } };
        const user = { name: 'u', user: { token: planted('kubeconfig') } };
        const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
        const read = readKubeconfigText(
          JSON.stringify({ 'current-context': 'x', clusters: [cluster], users: [user], contexts: [context] }),
        );
        if (!read.ok) throw new Error(read.text);
        return read.access;
      },
    ],
  ];
  const kinds: Kind[] = ['status', 'page', 'login', 'text'];

  it.each(sources.flatMap(([name, access]) => kinds.map((kind) => ({ name, access, kind }))))(
    '$name ($kind)',
    async ({ access, kind }) => {
      const server = await echo(kind);
      const log = collectingLog();
      const common = { name: 'a', clock: systemClock, log, requestTimeoutMs: 20_000, fieldManager: 'test' };
      const api = connectCluster({ ...access(server.url), ...common });
      closing.push(() => api.close());
      const { signal } = new AbortController();
      const got = await api.get(nodes, { name: 'n' });
      const watched = await api.watch(nodes, { resourceVersion: '1' }, () => undefined, signal);
      expect(server.asked()).toBeGreaterThan(1);
      const said = JSON.stringify([got, watched]);
      if (kind !== 'login') expect(said).toContain('[redacted]');
      expect(leaksIn(said)).toEqual([]);
    },
  );

  it('a token that was replaced meanwhile', async () => {
    const tokens = [planted('old'), planted('new')];
    let at = 0;
    const server = await echo('status');
    const issue = async () => ok({ token: tokens[at++] ?? '', expiresAt: 1 });
    const common = { name: 'a', clock: systemClock, log: silentLog, requestTimeoutMs: 20_000, fieldManager: 'test' };
    const api = connectCluster({ url: server.url, issue, ...common });
    closing.push(() => api.close());
    await api.get(nodes, { name: 'n' });
    await api.get(nodes, { name: 'n' });
    expect(leaksIn(redactSecrets(tokens.join('\n')))).toEqual([]);
  });
});

it('the token of a pod is known when it is found', () => {
  write('ca.crt', 'any');
  write('token', planted('pod'));
  inClusterAccess({ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }, folder);
  expect(leaksIn(redactSecrets(planted('pod')))).toEqual([]);
});

describe('AWS sends back', () => {
  const { signal } = new AbortController();
  const identity = async (connection: Parameters<typeof createEc2Calls>[0]['connection']) => {
    const calls = createEc2Calls({ connection });
    closing.push(() => calls.close());
    return JSON.stringify(await calls.sts('GetCallerIdentity', {}, signal));
  };

  it('the session token of keys that the SDK finds by itself, in a file', async () => {
    const server = await echo('aws');
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_PROFILE', 'planted');
    vi.stubEnv('AWS_CONFIG_FILE', write('config', ''));
    const keys = `aws_secret_access_key = ${planted('file-secret')}\naws_session_token = ${planted('file-session')}`;
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', write('keys', `[planted]\naws_access_key_id = AKIAEXAMPLE\n${keys}\n`));
    const said = await identity({ region: 'eu-west-1', endpoint: server.url });
    expect(said).toContain('[redacted]');
    expect(leaksIn(said)).toEqual([]);
    expect(leaksIn(redactSecrets(planted('file-secret')))).toEqual([]);
  });

  it('the session token of a role', async () => {
    const server = await echo('aws');
    const sts = await startScriptedSts();
    closing.push(() => sts.close());
    const own = { region: 'eu-west-1', endpoint: sts.url, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
    const role = { roleArn: 'arn:aws:iam::111122223333:role/r', sessionName: 's' };
    const credentials = assumeRole(own, role, systemClock);
    const said = await identity({ region: 'eu-west-1', endpoint: server.url, credentials });
    expect(said).toContain('[redacted]');
    expect(leaksIn(said)).toEqual([]);
  });

  it('the session token of keys that were given, to SQS', async () => {
    const server = await echo('status');
    const credentials = { accessKeyId: 'a', secretAccessKey: planted('given'), sessionToken: planted('given-session') };
    const { client, commands } = await openSqs({ region: 'eu-west-1', endpoint: server.url, credentials });
    closing.push(() => client.destroy());
    const thrown = await client
      .send(new commands.GetQueueUrlCommand({ QueueName: 'q' }))
      .catch((error: unknown) => error);
    const lines: string[] = [];
    const log = createLog({ level: 'debug', pretty: false, sink: (line) => void lines.push(line) });
    log.write('host.failed', { error: thrown });
    expect(server.asked()).toBeGreaterThan(0);
    expect(leaksIn(`${awsProblem(thrown).text}\n${lines.join('')}`)).toEqual([]);
  });

  it('a secret that was read from Secrets Manager or the Parameter Store', async () => {
    const aws = await startScriptedAws(({ action }) => ({
      body:
        action === 'GetParameter'
          ? { Parameter: { Value: planted('parameter') } }
          : { SecretString: JSON.stringify({ token: planted('secret') }) },
    }));
    closing.push(() => aws.close());
    const secrets = openSecrets({ connection: aws.connection, clock: manualClock() });
    expect((await secrets.read('ssm:/poolwright/token')).ok).toBe(true);
    expect((await secrets.read('secretsmanager:poolwright#token')).ok).toBe(true);
    expect(leaksIn(redactSecrets(`${planted('parameter')} ${planted('secret')}`))).toEqual([]);
  });
});

describe('Azure sends back', () => {
  it('a client secret, from Entra ID', async () => {
    const arm = await startScriptedArm();
    closing.push(() => arm.close());
    const echoed = ({ body }: { body: unknown }) => ({
      status: 400,
      body: { error: 'x', error_description: String(body) },
    });
    arm.script.push(...Array.from({ length: 9 }, () => echoed));
    const env = { SECRET: planted('client') };
    const credential = { type: 'client-secret', tenant: 't', clientId: 'c', secret: { variable: 'SECRET' } } as const;
    const connection = connectAzure({ ...testOptions(arm), credential }, { clock: systemClock, env });
    closing.push(() => connection.close());
    const said = JSON.stringify(await connection.credential.token('https://management.azure.com/.default'));
    expect(leaksIn(said)).toEqual([]);
    expect(leaksIn(redactSecrets(planted('client')))).toEqual([]);
  });

  it('an access token, from ARM', async () => {
    const arm = await startScriptedArm();
    closing.push(() => arm.close());
    arm.script.push(({ headers }) => ({
      status: 400,
      body: { error: { code: 'Bad', message: `<html><p>${String(headers.authorization)}` } },
    }));
    const issuer = { issue: async () => ok({ token: planted('arm'), expiresAt: Date.UTC(2100, 0, 1) }) };
    const connection = connectScripted(arm, { issuer });
    closing.push(() => connection.close());
    const { armJson } = await import('../../shared/platforms/azure/fetch-json.ts');
    const found = await armJson(connection, 'sizes')(`${arm.endpoint}/x`, new AbortController().signal);
    expect(JSON.stringify(found)).toContain('[redacted]');
    expect(leaksIn(JSON.stringify(found))).toEqual([]);
  });

  it('the keys of connection strings and of the Durable extension', () => {
    const bus = `Endpoint=sb://n.example/;SharedAccessKeyName=k;SharedAccessKey=${planted('bus')}`;
    connectionFrom({ Bus: bus }, 'Bus', 'namespace', 'fullyQualifiedNamespace');
    const table = `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${planted('table')};EndpointSuffix=x`;
    connectionFrom({ Table: table }, 'Table', 'endpoint', 'tableServiceUri');
    const uri = `https://app.example/x?code=${encodeURIComponent(planted('code'))}`;
    const urls = { id: 'ID', statusQueryGetUri: uri, sendEventPostUri: uri, terminatePostUri: uri };
    readEndpoint({ creationUrls: { createNewInstancePostUri: uri }, managementUrls: urls }).status('i');
    const all = ['bus', 'table', 'code'].map(planted).join('\n');
    expect(leaksIn(redactSecrets(all))).toEqual([]);
    expect(redactSecrets('name k of account a')).toBe('name k of account a');
  });
});

it('a collector sends back the headers of a push, and a data set in plain words stays readable', async () => {
  const server = await echo('text');
  const lines: string[] = [];
  const log = createLog({ level: 'debug', pretty: false, sink: (line) => void lines.push(line) });
  const encoded = encodeURIComponent(planted('otlp'));
  const target = {
    url: `${server.url}/v1/metrics`,
    headers: `x-team=${encoded},x-dataset=poolwright`,
    headersFile: undefined,
    everySeconds: 60,
  };
  const metrics = createMetrics();
  await new OtlpPush({ target, metrics, resource: {}, version: '1', clock: systemClock, log, env: {} }).now();
  expect(lines.join('')).toContain('[redacted]');
  expect(leaksIn(lines.join(''))).toEqual([]);
  expect(redactSecrets('poolwright')).toBe('poolwright');
});

/** STS that lends the keys of a role. */
async function startScriptedSts() {
  const { createServer } = await import('node:http');
  const keys = `<AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>${planted('role').replace('&', '&amp;')}</SecretAccessKey><SessionToken>${planted('role-session').replace('&', '&amp;')}</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration>`;
  const server = createServer((request, response) => {
    request.resume();
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(
        `<AssumeRoleResponse><AssumeRoleResult><Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
