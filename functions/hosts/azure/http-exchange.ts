/** One request of the Functions host. */
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { HttpFunctions } from '../../http/app.ts';
import { exchange } from '../common/http-exchange.ts';

export async function exchangeHttp(app: HttpFunctions, request: HttpRequest): Promise<HttpResponseInit> {
  const { method, url, headers } = request;
  const sent = new Uint8Array(await request.arrayBuffer());
  const {
    status,
    headers: answered,
    body,
  } = await exchange(app, { method, url, headers: headers.entries(), body: sent });
  return { status, headers: answered, ...(body.byteLength === 0 ? {} : { body }) };
}
