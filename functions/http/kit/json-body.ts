/**
 * Reads a JSON body: its type first, then its size, then its text, then its shape. A browser can send forms and plain text
 * to any address without asking; JSON it can't, so nothing else is read.
 *
 * The router's own validators are not used for bodies: they take a body of a type that they can't parse for an empty one,
 * and an empty one means "all" to a replay.
 */
import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { jsonErrorPosition } from '../../../events/json-error.ts';
import { problem } from './problem.ts';
import { refuseInvalid } from './validation.ts';

export interface JsonBodyOptions<Value> {
  maxBytes: number;
  schema: z.ZodType<Value>;
  /** Media types that are read, in lower case and without parameters. */
  accepts?: (mediaType: string, c: Context) => boolean;
  /** What the answer to another type says. */
  accepted?: string;
  /** A request without a body and without a type is fine, and means `{}`. */
  optional?: boolean;
}

export type JsonBodyEnv<Value> = { Variables: { json: Value } };

/** Leaves the value at `c.get('json')`. */
export function jsonBody<Value>(options: JsonBodyOptions<Value>): MiddlewareHandler<JsonBodyEnv<Value>> {
  const { maxBytes, accepts = (mediaType) => mediaType === 'application/json' } = options;
  const { accepted = 'application/json' } = options;
  const untyped = (c: Context) =>
    problem(c, 415, 'content-type-missing', `The request has no content type; send ${accepted}.`);

  return async (c, next) => {
    const header = c.req.header('content-type');
    // Whether there is a body at all shows only when it is read: some hosts hand over an empty stream.
    if (header === undefined && !options.optional) return untyped(c);
    if (header !== undefined) {
      const { mediaType, charset = 'utf-8' } = parseContentType(header);
      if (!accepts(mediaType, c)) {
        return problem(c, 415, 'content-type-unsupported', `This content type is not supported; send ${accepted}.`);
      }
      if (charset !== 'utf-8' && charset !== 'utf8') {
        return problem(c, 415, 'charset-unsupported', 'Only UTF-8 is supported.');
      }
    }
    const read = await readText(c.req.raw, maxBytes);
    if ('trouble' in read) return refuseUnread(c, read.trouble, maxBytes);
    if (header === undefined && read.text !== '') return untyped(c);
    let value: unknown = {};
    try {
      if (header !== undefined) value = JSON.parse(read.text);
    } catch {
      return problem(c, 400, 'malformed-json', malformed(read.text));
    }
    const checked = options.schema.safeParse(value);
    if (!checked.success) return refuseInvalid({ target: 'json', data: value, ...checked }, c);
    c.set('json', checked.data);
    return next();
  };
}

type Trouble = 'too-large' | 'broken-off' | 'not-utf-8';

async function readText(request: Request, maxBytes: number): Promise<{ text: string } | { trouble: Trouble }> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return { trouble: 'too-large' };
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Counted while it comes: its announced length may be missing or wrong.
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) return { trouble: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { trouble: 'broken-off' };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return { trouble: 'not-utf-8' };
  }
}

function refuseUnread(c: Context, trouble: Trouble, maxBytes: number) {
  switch (trouble) {
    case 'too-large': {
      const detail = `The body is too big: at most ${maxBytes} bytes are allowed.`;
      // Nobody reads the rest, so the connection can't be used again; a client that is not told would lose its next request.
      return problem(c, 413, 'content-too-large', detail, {}, { connection: 'close' });
    }
    case 'broken-off':
      return problem(c, 400, 'body-broken-off', 'The request body was cut off.');
    case 'not-utf-8':
      return problem(c, 400, 'malformed-json', 'The body is not UTF-8.');
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

/**
 * The schema of a body for the OpenAPI document. As plain JSON Schema, so that the router does not check it once more, and made when the
 * document is written: all routes are declared at the start of a function, and few of them are ever asked for the document.
 *
 * @param more Keywords beside those of the schema.
 */
export const documented = (schema: () => z.core.$ZodType, more: Readonly<Record<string, string>> = {}): object => ({
  // OpenAPI 3.1 takes JSON Schema as it is, though the types of the registry know fewer keywords.
  toJSON: () => {
    const { $schema, ...rest } = z.toJSONSchema(schema(), { io: 'input' });
    return { ...more, ...rest };
  },
});
