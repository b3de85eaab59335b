import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { openEksCluster } from '../../shared/kube/access/eks/eks.ts';
import { eksToken } from '../../shared/kube/access/eks/token.ts';
import { problemWith, requestIn } from './eks-authenticator.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const cluster = 'production';
const region = 'eu-west-1';
const minutes = 60_000;

const expected = (now: number) => ({
  cluster,
  host: 'sts.eu-west-1.amazonaws.com',
  secretAccessKey: credentials.secretAccessKey,
  now,
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

it('makes a token that the cluster accepts, for 15 minutes', async () => {
  const { now } = manualClock();
  const token = await eksToken({ cluster, region, credentials, now: now() });
  expect(problemWith(token, expected(now()))).toBeUndefined();
  expect(problemWith(token, expected(now() + 14 * minutes))).toBeUndefined();
  expect(problemWith(token, expected(now() + 16 * minutes))).toBe('X-Amz-Date parameter is expired');
  expect(requestIn(token).searchParams.get('X-Amz-Expires')).toBe('60');
});

it('is accepted by a cluster whose clock differs by minutes', async () => {
  const { now } = manualClock();
  const token = await eksToken({ cluster, region, credentials, now: now() });
  expect(problemWith(token, expected(now() - 4 * minutes))).toBeUndefined();
  expect(problemWith(token, expected(now() + 4 * minutes))).toBeUndefined();
});

it('opens no other cluster, and not with another secret', async () => {
  const { now } = manualClock();
  const token = await eksToken({ cluster, region, credentials, now: now() });
  expect(problemWith(token, { ...expected(now()), cluster: 'staging' })).toBe('SignatureDoesNotMatch');
  expect(problemWith(token, { ...expected(now()), secretAccessKey: 'other' })).toBe('SignatureDoesNotMatch');
});

it('carries the session of a role, whatever characters are in it', async () => {
  const { now } = manualClock();
  const session = { ...credentials, sessionToken: "IQoJb3/+==*'()~" };
  const token = await eksToken({ cluster, region, credentials: async () => session, now: now() });
  expect(problemWith(token, expected(now()))).toBeUndefined();
  expect(requestIn(token).searchParams.get('X-Amz-Security-Token')).toBe(session.sessionToken);
});

it('asks the STS of the region, in China too', async () => {
  const token = await eksToken({ cluster, region: 'cn-north-1', credentials, now: 0 });
  expect(requestIn(token).host).toBe('sts.cn-north-1.amazonaws.com.cn');
});

it('gives a fresh token with every issue, and lets it serve for 10 minutes', async () => {
  const clock = manualClock();
  const cloud = openEksCluster({ connection: { region, credentials }, name: cluster, clock });
  const issue = () => cloud.issue({ renew: false, signal: AbortSignal.timeout(60_000) });
  const first = await issue();
  clock.advance(minutes);
  const second = await issue();
  if (!first.ok || !second.ok) throw new Error('no token');
  expect(first.value.expiresAt).toBe(clock.now() + 9 * minutes);
  expect(second.value.token).not.toBe(first.value.token);
});

it('says that there is nothing to sign with', async () => {
  const nobody = () => Promise.reject(new Error('Could not load credentials from any providers'));
  const cloud = openEksCluster({ connection: { region, credentials: nobody }, name: cluster, clock: manualClock() });
  expect(await cloud.issue({ renew: false, signal: AbortSignal.timeout(60_000) })).toMatchObject({
    ok: false,
    error: { kind: 'unauthorised', message: expect.stringContaining('give the function a role') },
  });
});

/** EKS with one answer. */
async function eksThatAnswers(status: number, body: object) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': Reflect.get(body, '__type') ?? '' };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cloud = openEksCluster({ connection: { region, credentials, endpoint }, name: cluster, clock: manualClock() });
  return { asked, found: () => cloud.find(AbortSignal.timeout(60_000)) };
}

const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
const data = Buffer.from(pem).toString('base64');

it('asks EKS where the cluster is', async () => {
  const described = { cluster: { endpoint: 'https://abc.eks.amazonaws.com', certificateAuthority: { data } } };
  const { asked, found } = await eksThatAnswers(200, described);
  expect(await found()).toMatchObject({ ok: true, value: { url: 'https://abc.eks.amazonaws.com', ca: pem } });
  expect(asked).toEqual(['/clusters/production']);
});

it('asks nobody when the configuration says where it is', async () => {
  const cloud = openEksCluster({
    connection: { region, credentials, endpoint: 'http://127.0.0.1:1' },
    name: cluster,
    endpoint: 'https://own.example',
    certificateAuthority: data,
    clock: manualClock(),
  });
  expect(await cloud.find(AbortSignal.timeout(60_000))).toMatchObject({
    ok: true,
    value: { url: 'https://own.example', ca: pem },
  });
});

it.each([
  [404, { __type: 'ResourceNotFoundException' }, 'not-found', 'does not exist; check clusterName, region and account'],
  [403, { __type: 'AccessDeniedException' }, 'unauthorised', 'lacks the permission eks:DescribeCluster'],
  [200, { cluster: { status: 'CREATING' } }, 'not-ready', 'its status is CREATING'],
])('says what an answer %i of EKS means', async (status, body, kind, text) => {
  const { found } = await eksThatAnswers(status, body);
  const answer = await found();
  expect(answer).toMatchObject({ ok: false, error: { kind } });
  expect(answer.ok ? '' : answer.error.message).toContain(text);
  expect(answer.ok ? '' : answer.error.message).toContain('"production" in eu-west-1');
});
