/** From a configuration to an API server that asks who we are: by EKS, and by secrets that lie at AWS. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { clusterOpeners } from '../../functions/hosts/common/cluster-access.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../shared/config/load.ts';
import { namespaces } from '../../shared/kube/contract.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { problemWith } from './eks-authenticator.ts';
import { awsError, type ScriptedAws, startScriptedAws } from './scripted-aws.ts';

const { key, cert } = selfSigned('127.0.0.1');
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a-secret' };

let apiServer: https.Server;
let server: string;
let aws: ScriptedAws;
/** What lies in Secrets Manager, and which tokens the API server takes. */
let stored: Record<string, string> = {};
let accepts: (token: string) => boolean = () => true;
let shown: string[] = [];

beforeAll(async () => {
  apiServer = https.createServer({ key, cert }, (request, response) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    shown.push(token);
    const good = accepts(token);
    const metadata = { name: 'kube-system', uid: 'u', resourceVersion: '1' };
    const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 401, reason: 'Unauthorized' };
    response
      .writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify(good ? { apiVersion: 'v1', kind: 'Namespace', metadata } : refusal));
  });
  await new Promise<void>((resolve) => apiServer.listen(0, '127.0.0.1', resolve));
  server = `https://127.0.0.1:${(apiServer.address() as AddressInfo).port}`;
  aws = await startScriptedAws(({ body }) => {
    const value = stored[String(body.SecretId)];
    return value === undefined ? awsError('ResourceNotFoundException') : { body: { SecretString: value } };
  });
});
beforeEach(() => {
  stored = {};
  shown = [];
  accepts = () => true;
});
afterAll(async () => {
  apiServer.closeAllConnections();
  apiServer.close();
  await aws.close();
});

type ClusterInput = NonNullable<ConfigInput['clusters']>[string];

async function wayTo(cluster: ClusterInput, env: Record<string, string> = {}) {
  const read = resolveConfig({
    clusters: { east: cluster },
    providers: { ec2: { type: 'ec2', region: 'eu-west-1', clusterName: 'production' } },
  });
  if (!read.ok) throw new Error(read.text);
  const endpoints = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.connection.endpoint };
  return clusterOpeners({
    config: read.config,
    clock: systemClock,
    log: collectingLog(),
    env: { ...keys, ...endpoints, ...env },
  });
}

async function open(cluster: ClusterInput) {
  const openers = await wayTo(cluster);
  if (!openers.ok) throw new Error(openers.error.message);
  const link = {
    name: 'east',
    clock: systemClock,
    log: collectingLog(),
    requestTimeoutMs: 60_000,
    fieldManager: 'test',
  };
  const api = openers.value.get('east')?.(link);
  if (api === undefined) throw new Error('there is no way');
  onTestFinished(() => api.close());
  return () => api.get(namespaces, { name: 'kube-system' });
}

describe('a cluster of EKS', () => {
  it('is reached by a token that is signed for it', async () => {
    accepts = (token) =>
      problemWith(token, {
        cluster: 'production',
        host: 'sts.eu-west-1.amazonaws.com',
        secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
        now: Date.now(),
      }) === undefined;
    const clusterCA = Buffer.from(cert).toString('base64');
    const get = await open({ access: 'eks', aws: { clusterEndpoint: server, clusterCA } });
    expect(await get()).toMatchObject({ ok: true, value: { metadata: { uid: 'u' } } });
  });

  it('needs a provider of type ec2', () => {
    const read = resolveConfig({ clusters: { east: { access: 'eks' } }, providers: {} });
    expect(read.ok ? '' : read.text).toContain('clusters.east.access needs a provider of type ec2');
  });
});

describe('a cluster by URL and secret', () => {
  it('is reached by a token, and by the next one when that one is refused', async () => {
    stored = { 'pool/east': '{"token":"one"}', 'pool/ca': cert };
    const get = await open({
      server,
      token: 'secretsmanager:pool/east#token',
      certificateAuthority: 'secretsmanager:pool/ca',
    });
    expect(await get()).toMatchObject({ ok: true });
    stored['pool/east'] = '{"token":"two"}';
    accepts = (token) => token === 'two';
    expect(await get()).toMatchObject({ ok: true });
    expect(shown).toEqual(['one', 'one', 'two']);
  });

  it('is reached by a kubeconfig that is a secret, whose token may change', async () => {
    const kubeconfig = (token: string): string =>
      JSON.stringify({
        kind: 'Config',
        'current-context': 'other',
        contexts: [{ name: 'east', context: { cluster: 'east', user: 'me' } }],
        clusters: [
          { name: 'east', cluster: { server, 'certificate-authority-data': Buffer.from(cert).toString('base64') } },
        ],
        users: [{ name: 'me', user: { token } }],
      });
    stored = { kubeconfig: kubeconfig('one') };
    const get = await open({ kubeconfig: 'secretsmanager:kubeconfig', context: 'east' });
    expect(await get()).toMatchObject({ ok: true });
    stored = { kubeconfig: kubeconfig('two') };
    accepts = (token) => token === 'two';
    expect(await get()).toMatchObject({ ok: true });
  });

  it.each([
    [{ kubeconfig: 'secretsmanager:none' }, 'kubeconfig: the secret secretsmanager:none is not in Secrets Manager'],
    [{ kubeconfig: 'secretsmanager:odd' }, 'kubeconfig: the secret secretsmanager:odd: it is not a kubeconfig'],
    [
      { certificateAuthority: 'secretsmanager:odd' },
      'certificateAuthority: the secret secretsmanager:odd contains no PEM',
    ],
  ])('says what is wrong with %j, and not what it holds', async (fields, text) => {
    stored = { odd: 'very-secret' };
    const get = await open('kubeconfig' in fields ? fields : { server, ...fields });
    const answer = await get();
    expect(answer.ok ? '' : answer.error.message).toContain(text);
    expect(JSON.stringify(answer)).not.toContain('very-secret');
  });

  it.each([
    ['ssm:/with space', {}, 'clusters.east.token: the reference "ssm:/with space" does not have a valid name'],
    ['ssm:/pool', { AWS_REGION: '' }, 'clusters.east.token: the reference ssm:/pool has no region; set AWS_REGION'],
  ])('refuses %s before anything is asked', async (token, env, text) => {
    const ways = await wayTo({ server, token }, env);
    expect(ways.ok ? '' : ways.error.message).toContain(text);
  });
});
