import { editDistance } from '../shared/base/nearest.ts';
import { RecentMap } from '../shared/base/recent-map.ts';
import { outOfBounds } from './bounds.ts';
import { catalog, type EventType, eventTypes, isEventType, type PoolwrightEvent } from './catalog.ts';
import { maxEventBytes } from './envelope.ts';
import { describeIssue, kindOf } from './issue.ts';
import { jsonErrorPosition } from './json-error.ts';

export type ParsedEvent = { ok: true; event: PoolwrightEvent } | { ok: false; reason: string };

const refuse = (reason: string): ParsedEvent => ({ ok: false, reason });

/**
 * Reads one message from a queue or an HTTP body. It never throws: what can't be understood comes back with a reason
 * for a person, and belongs to the dead letters. Fields that we don't know are kept.
 *
 * @example
 * const parsed = parseEvent(message.body);
 * if (!parsed.ok) return { dead: parsed.reason };
 * if (parsed.event.type === 'dev.poolwright.claim.changed.v1') look(parsed.event.data.name);
 */
export function parseEvent(body: string | Uint8Array): ParsedEvent {
  const made = typeof body === 'string' ? takeMade(body) : undefined;
  if (made) return { ok: true, event: made };
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  if (bytes > maxEventBytes) return refuse(`the message is ${bytes} bytes big; at most ${maxEventBytes} are allowed`);
  let text: string;
  try {
    text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return refuse('the message is not UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(notJson(text));
  }
  return checkEvent(value);
}

/**
 * Bodies that this process has made, and so checked, and has not read back yet: where the source and the watcher are one process, an event is
 * checked once. Those that another process reads are forgotten.
 */
const made = new RecentMap<string, PoolwrightEvent>({ max: 1024 });

export const rememberMade = (body: string, event: PoolwrightEvent): void => made.set(body, event);

function takeMade(body: string): PoolwrightEvent | undefined {
  const event = made.get(body);
  made.delete(body);
  return event;
}

/** The same for a value that is parsed already, such as one element of a batch. The caller has bounded its size. */
export function checkEvent(value: unknown): ParsedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`the message must be a JSON object, but it is ${kindOf(value)}`);
  }
  const trouble = outOfBounds(value);
  if (trouble) return refuse(trouble);
  const field = (name: string): unknown => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined);
  if (field('specversion') === undefined) {
    return refuse('specversion is missing: the message must be a CloudEvent 1.0 in structured JSON');
  }
  if (field('data_base64') !== undefined) return refuse('data_base64 is not supported: send the data as JSON in data');
  const type = field('type');
  if (type === undefined) return refuse('type is missing');
  if (typeof type !== 'string') return refuse(`type must be a string, but it is ${kindOf(type)}`);
  if (!isEventType(type)) return refuse(unknownType(type));
  const result = catalog[type].schema.safeParse(value);
  if (result.success) return { ok: true, event: result.data };
  const sentences = result.error.issues.slice(0, 3).map((issue) => describeIssue(issue, value));
  const more = result.error.issues.length - sentences.length;
  return refuse(`${sentences.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
}

function notJson(text: string): string {
  const position = jsonErrorPosition(text) ?? text.length;
  if (text.trim() === '') return 'the message is empty';
  if (position >= text.length) return `the message is not JSON: it ends too early, at position ${position}`;
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  return `the message is not JSON: unexpected ${JSON.stringify(character)} at position ${position}`;
}

function unknownType(type: string): string {
  if (type.length > 256) return `type is ${type.length} characters long; at most 256 are allowed`;
  const [, base, version] = /^(.*)\.(v[^.]*)$/s.exec(type) ?? [];
  const versions = eventTypes.filter((known) => withoutVersion(known) === (base ?? type));
  if (versions.length > 0) {
    const known = versions.map((known) => known.slice(withoutVersion(known).length + 1)).join(', ');
    return `type ${JSON.stringify(type)} has ${version ? `the unknown version ${version}` : 'no version'}; known: ${known}`;
  }
  const nearest = eventTypes
    .map((known) => ({ known, distance: editDistance(type, known) }))
    .reduce((best, one) => (one.distance < best.distance ? one : best));
  return `type ${JSON.stringify(type)} is unknown; the nearest known one is ${nearest.known}`;
}

const withoutVersion = (type: EventType | string): string => type.slice(0, type.lastIndexOf('.'));
