/** Pages of a list. A token says how many were shown already; nothing is kept for it. */
import { type Outcome, refuse } from './answer.ts';
import { type Form, textAt } from './form.ts';
import type { Xml } from './xml.ts';

export function pageOf<T>(
  form: Form,
  all: readonly T[],
  largest: number,
  show: (page: readonly T[], nextToken: string | undefined) => { [name: string]: Xml },
): Outcome {
  const asked = Number(textAt(form, 'MaxResults') ?? largest);
  if (!Number.isInteger(asked) || asked < 1) {
    return refuse('InvalidParameterValue', `Value ( ${asked} ) for parameter maxResults is invalid.`);
  }
  const from = offsetOf(textAt(form, 'NextToken'));
  if (from === undefined) return refuse('InvalidNextToken', 'The token is not valid.');
  const until = from + Math.min(asked, largest);
  return { xml: show(all.slice(from, until), until < all.length ? tokenFor(until) : undefined) };
}

export const tokenFor = (offset: number): string => Buffer.from(`page ${offset}`).toString('base64url');

/** 0 without a token; undefined when it is none of ours. */
export function offsetOf(token: string | undefined): number | undefined {
  if (token === undefined || token === '') return 0;
  const [, offset] = /^page (\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  return offset === undefined ? undefined : Number(offset);
}
