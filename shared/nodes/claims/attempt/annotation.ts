/**
 * The attempt record as the text of an annotation. Strict, because money hangs on it: what is not wholly understood is
 * `unreadable`, and the rules let nobody spend on such a claim.
 */
import * as z from '../../../base/schemas.ts';
import { capacityTypes } from '../spec/well-known.ts';
import type { AttemptRecord } from './attempt.ts';

/** No record of ours comes near this; a longer text is not worth the time to parse it. */
const maxLength = 4096;

/** By a function: none is needed before the first claim has come, and to make it takes long. */
function makeRecordSchema() {
  const text = z.string().check(z.maxLength(512));
  const count = z.int().check(z.gte(0));

  return z
    .strictObject({
      uid: text.check(z.minLength(1)),
      attempt: count,
      provider: text,
      place: z.exactOptional(text),
      offering: z.strictObject({ instanceType: text, zone: text, capacityType: z.enum(capacityTypes) }),
      state: z.enum(['open', 'closed', 'failed']),
      rights: count,
      holder: text,
      closer: z.exactOptional(z.strictObject({ id: text.check(z.minLength(1)), epoch: count })),
      retryAt: z.exactOptional(count),
      failures: z.exactOptional(count),
    })
    .check(
      // Attempt 0 stands for "none yet": only a postponed claim has it. Any other attempt was opened by a right.
      z.refine(
        (record) => (record.attempt === 0 ? record.state === 'failed' && record.rights === 0 : record.rights > 0),
        { error: 'attempt 0 is failed without a right, any other attempt has at least one' },
      ),
      z.refine((record) => record.state !== 'failed' || record.retryAt !== undefined, {
        error: 'a failed attempt says when it may be tried again',
        path: ['retryAt'],
      }),
    );
}

let recordSchema: ReturnType<typeof makeRecordSchema> | undefined;

export type ParsedRecord = { record: AttemptRecord } | { unreadable: string } | { none: true };

export const formatRecord = (record: AttemptRecord): string => JSON.stringify(record);

/** Total: any text gives an answer. A record of another uid came with a copied manifest and counts as none. */
export function parseRecord(annotation: string | undefined, uid: string): ParsedRecord {
  if (annotation === undefined) return { none: true };
  if (annotation.length > maxLength) return { unreadable: `it is longer than ${maxLength} characters` };
  let value: unknown;
  try {
    value = JSON.parse(annotation);
  } catch {
    return { unreadable: 'it is not JSON' };
  }
  if (namesOtherUid(value, uid)) return { none: true };
  recordSchema ??= makeRecordSchema();
  const parsed = recordSchema.safeParse(value);
  if (parsed.success) return { record: parsed.data };
  const [issue] = parsed.error.issues;
  return { unreadable: `${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'not a record'}` };
}

/** Decided before the rest is looked at: what is wrong with somebody else's record is no concern of this claim. */
function namesOtherUid(value: unknown, uid: string): boolean {
  if (typeof value !== 'object' || value === null || !('uid' in value)) return false;
  return typeof value.uid === 'string' && value.uid !== '' && value.uid !== uid;
}
