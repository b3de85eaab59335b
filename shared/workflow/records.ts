/** What drivers on a platform's own engine need of a store beside it: the state port has it. Ports don't know each other. */
import type { Json } from '../base/json.ts';

export interface Records {
  get<T extends Json>(key: string): Promise<{ value: T; version: string; expiresAt?: number } | undefined>;
  /** The new version, or undefined when the entry has another one by now (`null`: when there is one). */
  put(key: string, value: Json, options: { ifVersion: string | null; ttlSeconds: number }): Promise<string | undefined>;
}

/** Two that write the same entry again and again would be a bug; a few rounds are a race. */
const maxRounds = 50;

/**
 * Changes an entry, however many do at the same time. `change` returns what to write and what to answer, or only an
 * answer when there is nothing to write.
 */
export async function changeRecord<T extends Json, Answer>(
  records: Records,
  key: string,
  change: (value: T | undefined) => { write?: T; ttlSeconds?: number; answer: Answer },
): Promise<Answer> {
  for (let round = 0; round < maxRounds; round++) {
    const entry = await records.get<T>(key);
    const { write, ttlSeconds = defaultTtlSeconds, answer } = change(entry?.value);
    if (write === undefined) return answer;
    const version = await records.put(key, write, { ifVersion: entry?.version ?? null, ttlSeconds });
    if (version !== undefined) return answer;
  }
  throw new Error(`the record "${key}" was changed by others ${maxRounds} times in a row`);
}

const defaultTtlSeconds = 7 * 86_400;
