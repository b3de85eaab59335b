import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLambdaApi } from './http-api.ts';
import { invokeFunction, LambdaRefusal } from './invoke.ts';
import { SignedLambda } from './signed-http.ts';

const keys = { accessKeyId: 'AKID', secretAccessKey: 'very secret', sessionToken: 'token/with+signs=' };

let answers: { status: number; headers?: Record<string, string>; body?: string }[];
let seen: { line: string; isSigned: boolean }[];
const server = createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isSigned = isSignedWell(request, Buffer.concat(chunks).toString());
    seen.push({ line: `${request.method} ${request.url}`, isSigned });
    const answer = answers.shift() ?? { status: 200 };
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body ?? '{}');
  })();
});
let endpoint: string;

beforeEach(async () => {
  answers = [];
  seen = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reckons the signature of what has arrived, as the service documents it. */
function isSignedWell(request: IncomingMessage, body: string): boolean {
  const { authorization = '' } = request.headers;
  const [, scope = '', names = '', signature = ''] =
    /Credential=AKID\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(authorization) ?? [];
  const url = new URL(request.url ?? '', endpoint);
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  const canonical = [
    request.method,
    url.pathname.split('/').map(escaped).join('/'),
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  return names.split(';').includes('host') && hmac(key, toSign).toString('hex') === signature;
}

const timers = {
  after: (_milliseconds: number, callback: () => void) => {
    const soon = setImmediate(callback);
    return () => clearImmediate(soon);
  },
};
const open = () =>
  openLambdaApi({
    region: 'eu-west-1',
    endpoint,
    credentials: async () => keys,
    functionName: 'arn:aws:lambda:eu-west-1:123456789012:function:poolwright-workflows',
    qualifier: 'live',
    timers,
  });

it('signs paths with ARNs, queries and bodies as the service reads them', async () => {
  const api = open();
  const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:f:1/durable-execution/a-1/0f-2';
  answers = [{ status: 202, headers: { 'x-amz-durable-execution-arn': arn } }];
  expect(await api.start('a-1', '{"id":"clé/1"}')).toEqual({ arn });
  await api.execution(arn);
  await api.history(arn, { newestFirst: true, withData: false, limit: 5, marker: 'a/b+c=&d e' });
  await api.completeCallback('abc+/=');
  await api.stop(arn, 'a later epoch runs');
  await api.find('a-1');
  api.close();

  expect(seen.map(({ isSigned }) => isSigned)).toEqual([true, true, true, true, true, true]);
  expect(seen[1]?.line).toBe(`GET /2025-12-01/durable-executions/${encodeURIComponent(arn)}`);
});

it('asks again after throttles and faults, and tells the last of them when they do not end', async () => {
  const fault = { status: 429, headers: { 'x-amzn-errortype': 'TooManyRequestsException:http://x' } };
  answers = [fault, { status: 500 }, { status: 200, body: '{"DurableExecutionArn":"a","Status":"RUNNING"}' }];
  const api = open();
  expect(await api.execution('a')).toMatchObject({ arn: 'a', status: 'RUNNING' });
  answers = [fault, fault, fault, fault];
  await expect(api.execution('a')).rejects.toThrow(
    'the Lambda service responded with 429 TooManyRequestsException to GET /2025-12-01/durable-executions/a',
  );
  api.close();
  expect(seen).toHaveLength(7);
});

it('says that nobody answers, without a secret', async () => {
  const lambda = new SignedLambda({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9',
    credentials: async () => keys,
    timers,
  });
  const said = await lambda.ask({ method: 'GET', path: '/x' }).catch((error: Error) => error.message);
  lambda.close();

  expect(said).toMatch(/the Lambda service did not respond: .*127\.0\.0\.1/);
  expect(said).not.toMatch(/very secret|token/);
});

it('says that a function is not durable', async () => {
  answers = [{ status: 202 }];
  const api = open();
  await expect(api.start('a', '{}')).rejects.toThrow('it is not durable');
  api.close();
});

it('finds an execution behind a page that is empty', async () => {
  answers = [
    { status: 200, body: '{"DurableExecutions":[],"NextMarker":"more"}' },
    { status: 200, body: '{"DurableExecutions":[{"DurableExecutionName":"a-1","DurableExecutionArn":"b"}]}' },
  ];
  const api = open();
  expect(await api.find('a-1')).toMatchObject({ name: 'a-1', arn: 'b' });
  expect(await api.find('a-2')).toBeUndefined();
  api.close();
  expect(seen.map(({ line }) => line.includes('Marker=more'))).toEqual([false, true, false]);
});

const openLambda = () => new SignedLambda({ region: 'eu-west-1', endpoint, credentials: async () => keys, timers });

it('calls a function and gives its answer, or says that it broke', async () => {
  const lambda = openLambda();
  answers = [
    { status: 200, body: '{"ok":true}' },
    { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, body: '{"errorMessage":"broken"}' },
  ];
  expect(await invokeFunction(lambda, 'p-steps', '{"clé":1}')).toEqual({ payload: '{"ok":true}' });
  expect(await invokeFunction(lambda, 'p-steps', '{}')).toEqual({
    functionError: 'Unhandled',
    payload: '{"errorMessage":"broken"}',
  });
  lambda.close();
  const line = 'POST /2015-03-31/functions/p-steps/invocations';
  expect(seen).toEqual([
    { line, isSigned: true },
    { line, isSigned: true },
  ]);
});

it('calls a function once, whatever comes of it, and says why it was not called', async () => {
  const lambda = openLambda();
  answers = [
    {
      status: 429,
      headers: { 'x-amzn-errortype': 'TooManyRequestsException' },
      body: '{"Reason":"ConcurrentInvocationLimitExceeded","message":"Rate Exceeded."}',
    },
    { status: 500, headers: { 'x-amzn-errortype': 'ServiceException' } },
    { status: 503, body: '<html>' },
  ];
  const refused = () => invokeFunction(lambda, 'p-steps', '{}').catch((error: unknown) => error);
  expect(await refused()).toEqual(new LambdaRefusal('TooManyRequestsException', 'Rate Exceeded.'));
  expect(await refused()).toEqual(new LambdaRefusal('ServiceException', 'HTTP 500'));
  expect(await refused()).toEqual(new LambdaRefusal('', 'HTTP 503'));
  lambda.close();
  expect(seen).toHaveLength(3);
});
