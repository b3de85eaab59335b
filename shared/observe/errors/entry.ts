/** What the catalog says about one error. */

/** Where people meet it. `check` is a line of `poolwright doctor` or of the host's own checks. */
export const places = ['condition', 'event', 'log', 'http', 'cli', 'config', 'check'] as const;
export type Surface = (typeof places)[number];

export interface ErrorEntry {
  /** One sentence: what is the matter. */
  readonly cause: string;
  /** What to do about it, as sentences. */
  readonly cure: string;
  /** What its page says besides; paragraphs of Markdown. */
  readonly more?: string;
  readonly seen: readonly Surface[];
  /** The object whose condition or Event it is, where that is not a NodeClaim. */
  readonly about?: string;
  /** Under which other names people look for it, such as Karpenter's. */
  readonly alias?: readonly string[];
  /** Every message under this code says itself what to do, so the command need not say it again. */
  readonly cureInMessage?: true;
}

export type ErrorGroup = Readonly<Record<string, ErrorEntry>>;

/** Most things that a cloud or a cluster refuses for now are tried again. */
export const byItself = 'None needed: the host continues automatically.';
