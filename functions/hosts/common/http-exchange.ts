/** From what a platform calls a request to a Web Request and back, byte for byte. */
import type { HttpFunctions } from '../../http/app.ts';
import type { Peer } from '../../http/kit/callers.ts';

export interface PlatformRequest {
  method: string;
  url: string;
  headers: Iterable<readonly [string, string]>;
  body: Uint8Array<ArrayBuffer> | undefined;
}

export interface PlatformAnswer {
  status: number;
  headers: [string, string][];
  body: Uint8Array;
}

export async function exchange(app: HttpFunctions, request: PlatformRequest, peer?: Peer): Promise<PlatformAnswer> {
  const { method, url } = request;
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.append(name, value);
  // A Request refuses a body with these two, even an empty one.
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? (request.body ?? new Uint8Array()) : null;
  const response = await app.fetch(new Request(url, { method, headers, body }), peer);
  return {
    status: response.status,
    headers: [...response.headers],
    body: new Uint8Array(await response.arrayBuffer()),
  };
}
