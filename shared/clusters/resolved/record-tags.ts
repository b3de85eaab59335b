/**
 * The record of a request as tags: compressed, and cut into pieces that fit. With them a request can be made again from what is in Azure.
 * The tags of a cluster go on to what AKS makes for it, and a DNS zone takes fifteen of them, so only so many are used.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { nodeZlib } from '../../base/node-modules.ts';

const prefix = 'poolwright-record-';
const longestValue = 256;
export const mostRecordTags = 8;
/** Of what a tag can unfold to: anybody with rights in Azure may have written it. */
const largest = 64 * 1024;

/** Undefined where it does not fit. */
export function recordTags(record: JsonObject): Record<string, string> | undefined {
  const text = nodeZlib().deflateRawSync(JSON.stringify(record), { level: 9 }).toString('base64url');
  const pieces = text.match(new RegExp(`.{1,${longestValue}}`, 'g')) ?? [];
  if (pieces.length > mostRecordTags) return undefined;
  return Object.fromEntries(pieces.map((piece, index) => [`${prefix}${index + 1}`, piece]));
}

/** Undefined where there is none, or none that is whole. */
export function recordInTags(tags: Readonly<Record<string, unknown>> | undefined): JsonObject | undefined {
  const pieces: string[] = [];
  for (let number = 1; number <= mostRecordTags; number++) {
    const piece = tags?.[`${prefix}${number}`];
    if (typeof piece !== 'string') break;
    pieces.push(piece);
  }
  if (pieces.length === 0) return undefined;
  try {
    const packed = Buffer.from(pieces.join(''), 'base64url');
    const text = nodeZlib().inflateRawSync(packed, { maxOutputLength: largest }).toString('utf8');
    const record: unknown = JSON.parse(text);
    return isObject(record) ? (record as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
