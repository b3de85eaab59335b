/** From a request of the Functions host to a Web Request and back, byte for byte. */
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { HttpFunctions } from '../../http/app.ts';

export async function exchange(app: HttpFunctions, request: HttpRequest): Promise<HttpResponseInit> {
  const { method, url } = request;
  const headers = new Headers();
  for (const [name, value] of request.headers.entries()) headers.append(name, value);
  // A Request refuses a body with these two, even an empty one.
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : null;
  const response = await app.fetch(new Request(url, { method, headers, body }));
  const answer = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    headers: [...response.headers],
    ...(answer.byteLength === 0 ? {} : { body: answer }),
  };
}
