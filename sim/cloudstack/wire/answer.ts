/** Answers in the shape of CloudStack: one object named after the command, with a list, an object, a job or an error in it. */
import { isObject, type Json, type JsonObject } from '../../../shared/base/json.ts';
import type { Refused } from './refusals.ts';

export interface Answer {
  status: number;
  contentType: string;
  body: string;
}

/** What a command comes to. */
export type Outcome =
  | { list: { name: string; items: readonly JsonObject[]; count: number } }
  | { object: JsonObject }
  | { job: string; id?: string };

export const listOf = (name: string, items: readonly JsonObject[], count = items.length): Outcome => ({
  list: { name, items, count },
});

/** Nothing found is an empty object: neither a count nor a list. A page past the end has a count and no list. */
export function outcomeBody(outcome: Outcome): JsonObject {
  if ('object' in outcome) return outcome.object;
  if ('job' in outcome)
    return outcome.id === undefined ? { jobid: outcome.job } : { id: outcome.id, jobid: outcome.job };
  const { name, items, count } = outcome.list;
  if (count === 0) return {};
  return items.length === 0 ? { count } : { count, [name]: [...items] };
}

export const errorBody = ({ code, exception, message }: Refused): JsonObject => ({
  uuidList: [],
  errorcode: code,
  ...(exception === undefined ? {} : { cserrorcode: exception }),
  errortext: message,
});

/** `xml` is what CloudStack answers to whom does not ask for JSON. */
export function answerOf(
  status: number,
  command: string | undefined,
  body: JsonObject,
  format: 'json' | 'xml',
): Answer {
  const name = command === undefined ? 'errorresponse' : `${command.toLowerCase()}response`;
  if (format === 'json') {
    return { status, contentType: 'application/json; charset=UTF-8', body: JSON.stringify({ [name]: body }) };
  }
  const text = `<?xml version="1.0" encoding="UTF-8"?>${xmlOf(name, body)}`;
  return { status, contentType: 'text/xml; charset=UTF-8', body: text };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function xmlOf(name: string, value: Json): string {
  if (Array.isArray(value)) return value.map((one) => xmlOf(name, one)).join('');
  const inner = isObject(value)
    ? Object.entries(value)
        .map(([key, one]) => xmlOf(key, one))
        .join('')
    : escaped(String(value ?? ''));
  return `<${name}>${inner}</${name}>`;
}

export const plain = (status: number, body: Json): Answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

/** A page of something between CloudStack and its caller. */
export const page = (status: number): Answer => ({
  status,
  contentType: 'text/html',
  body: `<html><body><h1>${status}</h1>The server is temporarily unable to service your request.</body></html>`,
});

/** `2026-01-01T00:00:00+0000` */
export const timeText = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, '+0000');
