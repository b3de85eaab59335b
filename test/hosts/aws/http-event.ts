/** A request as an HTTP API hands it to a function, in payload format 2.0. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

export function httpEvent(method: string, path: string, token: string, body?: unknown): APIGatewayProxyEventV2 {
  const [asked = '', rawQueryString = ''] = path.split('?');
  // An HTTP API does so, in spite of the name.
  const rawPath = decodeURIComponent(asked);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: {
      host: 'api.example.com',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/cloudevents+json' }),
    },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'request',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
