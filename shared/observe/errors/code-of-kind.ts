/** The end of an HTTP problem's type and the code are one word: `unknown-claim` is `UnknownClaim`. */

/** Types of problems are never renamed, so one keeps a spelling that its code no longer has. */
const renamed = { kind: 'unauthorised', code: 'Unauthorized' } as const;

export const codeOfKind = (kind: string): string =>
  kind === renamed.kind
    ? renamed.code
    : kind.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter: string) => letter.toUpperCase());

export const kindOfCode = (code: string): string =>
  code === renamed.code
    ? renamed.kind
    : code.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
