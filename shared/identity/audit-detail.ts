/** What an entry of the audit log keeps of a request and its answer: without secrets, and short. */
import type { Json } from '../base/json.ts';
import { redact } from '../observe/log/redact.ts';

/** Of one part: an entry has two, and a state store takes 60,000 bytes. */
const mostBytes = 8_000;

export function shortened<Parts extends { [part: string]: Json }>(parts: Parts): Parts {
  const kept = Object.entries(parts).map(([part, value]) => [part, shortValue(value)]);
  return Object.fromEntries(kept) as Parts;
}

function shortValue(value: Json): Json {
  const text = JSON.stringify(redact(value)) ?? 'null';
  return Buffer.byteLength(text) > mostBytes
    ? `too long to keep: ${text.length} characters`
    : (JSON.parse(text) as Json);
}
