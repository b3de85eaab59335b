/** Where people and programs are told about clusters. */
import type { NoticeFormat, NoticeType } from '../request/choices.ts';

export interface NotifyTarget {
  /** In logs; the URL may be a secret. */
  readonly name: string;
  /** Asked each time, so that it can be rotated; undefined: it cannot be read now. */
  readonly url: () => string | undefined;
  readonly format: NoticeFormat;
  /** Each signs, so that receivers can change from one to the next without a gap. */
  readonly signingKeys: () => readonly string[];
  readonly on: readonly NoticeType[];
}

export interface Posted {
  status: number;
  retryAfterSeconds?: number;
}

/** One POST. Undefined: there was no answer. Never throws. */
export type Post = (
  url: string,
  message: { headers: Readonly<Record<string, string>>; body: string },
  signal?: AbortSignal,
) => Promise<Posted | undefined>;
