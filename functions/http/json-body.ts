/**
 * Reads a JSON body: its type first, then its size, then its text. A browser can send forms and plain text to any address
 * without asking; JSON it can't, so nothing else is read.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { jsonErrorPosition } from '../../events/json-error.ts';
import { problem } from './problem.ts';

export interface JsonBodyOptions {
  maxBytes: number;
  /** Media types that are read, in lower case and without parameters. */
  accepts?: (mediaType: string, c: Context) => boolean;
  /** What the answer to another type says. */
  accepted?: string;
  /** A request without a body and without a type is fine. */
  optional?: boolean;
}

/** The value is `undefined` for a request without a body. */
export type JsonBodyEnv = { Variables: { json: unknown } };

export function jsonBody(
  options: JsonBodyOptions,
): [MiddlewareHandler, MiddlewareHandler, MiddlewareHandler<JsonBodyEnv>] {
  const {
    maxBytes,
    accepts = (mediaType) => mediaType === 'application/json',
    accepted = 'application/json',
  } = options;
  const tooLarge = (c: Context) =>
    problem(c, 413, 'content-too-large', `The body is too big: at most ${maxBytes} bytes are allowed.`);

  const checkType: MiddlewareHandler = async (c, next) => {
    const header = c.req.header('content-type');
    if (header === undefined) {
      if (options.optional && c.req.raw.body === null) return next();
      return problem(c, 415, 'content-type-missing', `The request has no content type; send ${accepted}.`);
    }
    const { mediaType, charset } = parseContentType(header);
    if (!accepts(mediaType, c)) {
      return problem(c, 415, 'content-type-unsupported', `This content type is not supported; send ${accepted}.`);
    }
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
      return problem(c, 415, 'charset-unsupported', 'Only UTF-8 is supported.');
    }
    return next();
  };

  const parse: MiddlewareHandler<JsonBodyEnv> = async (c, next) => {
    if (c.req.raw.body === null && c.req.header('content-type') === undefined) {
      c.set('json', undefined);
      return next();
    }
    const read = await readText(c, maxBytes);
    if (read === 'too-large') return tooLarge(c);
    if (read === 'broken') return brokenOff(c);
    if (read === 'not-utf-8') return problem(c, 400, 'malformed-json', 'The body is not UTF-8.');
    try {
      c.set('json', JSON.parse(read.text));
    } catch {
      return problem(c, 400, 'malformed-json', malformed(read.text));
    }
    return next();
  };

  const limit = bodyLimit({ maxSize: maxBytes, onError: tooLarge });
  const checkSize: MiddlewareHandler = async (c, next) => {
    let isRead = false;
    try {
      return await limit(c, () => {
        isRead = true;
        return next();
      });
    } catch (error) {
      if (isRead) throw error;
      return brokenOff(c);
    }
  };

  return [checkType, checkSize, parse];
}

const brokenOff = (c: Context) => problem(c, 400, 'body-broken', 'The body could not be read to its end.');

async function readText(
  c: Context,
  maxBytes: number,
): Promise<{ text: string } | 'too-large' | 'broken' | 'not-utf-8'> {
  let bytes: ArrayBuffer;
  try {
    bytes = await c.req.arrayBuffer();
  } catch {
    return 'broken';
  }
  // A platform that hands over whole bodies need not have compared them with their Content-Length.
  if (bytes.byteLength > maxBytes) return 'too-large';
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return 'not-utf-8';
  }
}

function malformed(text: string): string {
  if (text.trim() === '') return 'The body is empty; JSON is expected.';
  const position = jsonErrorPosition(text) ?? text.length;
  if (position >= text.length) return `The body is not JSON: it ends too early, at position ${position}.`;
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  const before = text.slice(0, position).split('\n');
  const place = `position ${position} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
  return `The body is not JSON: unexpected ${JSON.stringify(character)} at ${place}.`;
}

export function parseContentType(header: string): { mediaType: string; charset?: string } {
  const [mediaType = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined ? { mediaType } : { mediaType, charset: charset.replaceAll('"', '') };
}
