/** Where people and programs are told about clusters. */

export const noticeTypes = ['ready', 'failed', 'deleted', 'expired', 'drifted'] as const;
export type NoticeType = (typeof noticeTypes)[number];

export interface NotifyTarget {
  /** In logs; the URL may be a secret. */
  readonly name: string;
  /** Asked each time, so that it can be rotated; undefined: it cannot be read now. */
  readonly url: () => string | undefined;
  readonly format: 'cloudevents' | 'slack';
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
