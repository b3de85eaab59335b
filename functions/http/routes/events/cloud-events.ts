/** The content modes of CloudEvents over HTTP: one event (structured), several (batch), or attributes in headers (binary). */
import type { Context } from 'hono';
import { checkEvent, type ParsedEvent } from '../../../../events/parse.ts';
import { parseContentType } from '../../kit/json-body.ts';

export const singleType = 'application/cloudevents+json';
export const batchType = 'application/cloudevents-batch+json';

/** More would make the list of rejections longer than anybody's use for it. */
const maxBatch = 1000;

const isJson = (mediaType: string): boolean => /^application\/([\w.-]+\+)?json$/.test(mediaType);

const isBinary = (c: Context): boolean => c.req.header('ce-specversion') !== undefined;

/** Other JSON types can only be the data of an event whose attributes are in the headers. */
export const acceptsEvents = (mediaType: string, c: Context): boolean =>
  mediaType === 'application/json' ||
  mediaType === singleType ||
  mediaType === batchType ||
  (isBinary(c) && isJson(mediaType));

export type Received =
  | { events: { value: unknown; checked: ParsedEvent }[] }
  | { refused: { status: 400 | 413; kind: string; detail: string } };

/** The events of a request whose body was read already, each one checked. */
export function receivedEvents(c: Context, body: unknown): Received {
  const { mediaType } = parseContentType(c.req.header('content-type') ?? '');
  const isStructured = mediaType === singleType || mediaType === batchType;
  if (!isStructured && isBinary(c)) return { events: [check(fromHeaders(c, mediaType, body))] };
  const isBatch = mediaType === batchType || (mediaType === 'application/json' && Array.isArray(body));
  if (!isBatch) return { events: [check(body)] };
  if (!Array.isArray(body)) {
    const detail = 'A batch must be a JSON array of events.';
    return { refused: { status: 400, kind: 'not-a-batch', detail } };
  }
  if (body.length > maxBatch) {
    const detail = `The batch has ${body.length} events; at most ${maxBatch} are allowed.`;
    return { refused: { status: 413, kind: 'batch-too-large', detail } };
  }
  return { events: body.map(check) };
}

const check = (value: unknown) => ({ value, checked: checkEvent(value) });

function fromHeaders(c: Context, mediaType: string, data: unknown): unknown {
  const event: Record<string, unknown> = { datacontenttype: mediaType, data };
  for (const [name, value] of Object.entries(c.req.header())) {
    const attribute = name.startsWith('ce-') ? name.slice('ce-'.length) : '';
    if (/^[a-z0-9]+$/.test(attribute) && attribute !== 'data') event[attribute] = percentDecoded(value);
  }
  return event;
}

/** Attributes outside ASCII are percent-encoded in headers; a percent sign that encodes nothing stands for itself. */
function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
