import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, it } from 'vitest';
import type { Peer } from '../../http/kit/callers.ts';
import { exchangeHttp } from './http-exchange.ts';

function anEvent(method: string, more: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  const { requestContext, ...rest } = more;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/v1/a%2Fb',
    rawQueryString: 'after=1&after=2',
    headers: { authorization: 'Bearer x' },
    isBase64Encoded: false,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path: '/v1/a%2Fb', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'curl' },
      requestId: '1',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
      ...requestContext,
    },
    ...rest,
  };
}

/** Tells what it was asked, and answers with a body. */
function anApp(body: string | Uint8Array<ArrayBuffer> = 'ok') {
  const seen: { request: Request; peer: Peer | undefined; bytes: Uint8Array }[] = [];
  return {
    seen,
    fetch: async (request: Request, peer?: Peer) => {
      seen.push({ request, peer, bytes: new Uint8Array(await request.arrayBuffer()) });
      return new Response(body, { status: 201, headers: { 'content-type': 'text/plain', 'retry-after': '3' } });
    },
  };
}

it('passes method, path, query and headers as they were sent', async () => {
  const app = anApp();
  const answer = await exchangeHttp(app, anEvent('PUT', { body: 'é' }));
  const [{ request, bytes } = {}] = app.seen;
  expect([request?.method, request?.url]).toEqual(['PUT', 'https://api.example.com/v1/a%2Fb?after=1&after=2']);
  expect(request?.headers.get('authorization')).toBe('Bearer x');
  expect(Buffer.from(bytes ?? []).toString()).toBe('é');
  expect(answer).toMatchObject({
    statusCode: 201,
    body: 'ok',
    isBase64Encoded: false,
    headers: { 'retry-after': '3' },
  });
});

it('reads a body that the platform has encoded, and encodes an answer that is no text', async () => {
  const app = anApp(Uint8Array.of(0xff, 0x00));
  const body = Buffer.from([0xfe, 0x01]).toString('base64');
  const answer = await exchangeHttp(app, anEvent('POST', { body, isBase64Encoded: true }));
  expect([...(app.seen[0]?.bytes ?? [])]).toEqual([0xfe, 0x01]);
  expect(answer).toMatchObject({ body: Buffer.from([0xff, 0x00]).toString('base64'), isBase64Encoded: true });
});

it('takes a GET that brings a body for one without', async () => {
  const app = anApp();
  expect(await exchangeHttp(app, anEvent('GET', { body: 'surprise' }))).toMatchObject({ statusCode: 201 });
});

it.each([
  ['/v1/workflows/east/5f/launch/1', '/v1/workflows/east%2F5f%2Flaunch%2F1'],
  ['/v1/workflows/east/5f/launch/1/retry', '/v1/workflows/east%2F5f%2Flaunch%2F1/retry'],
  ['/v1/workflows/east/5f/launch/1/restart', '/v1/workflows/east%2F5f%2Flaunch%2F1/restart'],
  ['/v1/workflows/east%2F5f%2Flaunch%2F1', '/v1/workflows/east%2F5f%2Flaunch%2F1'],
  ['/v1/workflows', '/v1/workflows'],
  ['/v1/claims/east/a?b#c/decisions', '/v1/claims/east/a%3Fb%23c/decisions'],
  ['/v1/claims/east/100%/decisions', '/v1/claims/east/100%25/decisions'],
  ['/v1/claims/east/né \\/decisions', '/v1/claims/east/n%C3%A9%20%5C/decisions'],
])('encodes a path again that the platform has decoded: %s', async (rawPath, pathname) => {
  const app = anApp();
  await exchangeHttp(app, anEvent('GET', { rawPath }));
  const url = new URL(app.seen[0]?.request.url ?? '');
  expect([url.pathname, url.search]).toEqual([pathname, '?after=1&after=2']);
});

it('takes a header that is not ASCII', async () => {
  const app = anApp();
  await exchangeHttp(app, anEvent('GET', { headers: { 'user-agent': 'a ✓', authorization: 'Bearer x' } }));
  const headers = app.seen[0]?.request.headers;
  expect(headers?.get('authorization')).toBe('Bearer x');
  expect(Buffer.from(headers?.get('user-agent') ?? '', 'latin1').toString()).toBe('a ✓');
});

it('leaves the name of a stage out of the path', async () => {
  const app = anApp();
  const { requestContext } = anEvent('GET');
  await exchangeHttp(
    app,
    anEvent('GET', { rawPath: '/dev/readyz', requestContext: { ...requestContext, stage: 'dev' } }),
  );
  expect(new URL(app.seen[0]?.request.url ?? '').pathname).toBe('/readyz');
});

it('tells the name of a client certificate that the platform has checked', async () => {
  const app = anApp();
  const clientCert = {
    clientCertPem: '',
    issuerDN: '',
    serialNumber: '',
    subjectDN: 'O=Clusters,CN=east',
    validity: { notAfter: '', notBefore: '' },
  };
  const { requestContext } = anEvent('GET');
  await exchangeHttp(app, anEvent('GET', { requestContext: { ...requestContext, authentication: { clientCert } } }));
  await exchangeHttp(app, anEvent('GET'));
  expect(app.seen.map(({ peer }) => peer?.certificateNames)).toEqual([['east'], []]);
});
