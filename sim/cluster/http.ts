/** Reading requests and writing answers. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { errorText } from '../../shared/base/error-text.ts';
import type { Json } from '../../shared/base/json.ts';
import { ApiError, badRequest, tooLarge, unsupportedMediaType } from './api-error.ts';
import { decodeProtobuf, protobufType } from './description/protobuf.ts';

/** As large as a real server takes. */
const maxBodyBytes = 3 * 1024 * 1024;

export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and thrown away: a client that is still writing would not see the answer otherwise.
      if (size <= maxBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => {
      if (size > maxBodyBytes) reject(tooLarge(maxBodyBytes));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('aborted', () => reject(badRequest('the request was cut off')));
  });
}

export function contentTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${errorText(error)}`);
  }
}

/** An object in JSON or YAML. No content type counts as JSON. */
export function parseObjectBody(body: Buffer, contentType: string): Json {
  if (contentType === '' || contentType === 'application/json') return parseJson(body.toString('utf8'));
  if (contentType === 'application/yaml') return parseYamlText(body.toString('utf8'));
  if (contentType === protobufType) return decodeProtobuf(body);
  throw unsupportedMediaType(['application/json', 'application/yaml']);
}

export function parseYamlText(text: string): Json {
  try {
    // JSON is YAML, and by far the faster to read.
    return text.trimStart().startsWith('{')
      ? (JSON.parse(text) as Json)
      : (parseYaml(text, { maxAliasCount: 100 }) as Json);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${errorText(error)}`);
  }
}

export function sendText(response: ServerResponse, code: number, type: string, text: string | Buffer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export function sendJson(response: ServerResponse, code: number, json: string, warnings: string[] = []): void {
  if (response.headersSent || response.destroyed) return;
  if (warnings.length > 0) {
    response.setHeader(
      'warning',
      // Header values take no line breaks and no characters beyond Latin-1.
      warnings.map((warning) => `299 - ${JSON.stringify(warning.replaceAll(/[^\x20-\x7e]/g, '?'))}`),
    );
  }
  sendText(response, code, 'application/json', json);
}

export function sendError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof ApiError
      ? error
      : error instanceof RangeError
        ? // The stack is the bound for how deep a body may be nested.
          badRequest('the body is nested too deeply')
        : new ApiError(500, 'InternalError', errorText(error));
  const retryAfter = known.details?.retryAfterSeconds;
  if (retryAfter !== undefined && !response.headersSent) response.setHeader('retry-after', String(retryAfter));
  sendJson(response, known.code, JSON.stringify(known.toStatus()));
}
