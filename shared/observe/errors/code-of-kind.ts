/** The end of an HTTP problem's type and the code are one word: `unknown-claim` is `UnknownClaim`. */

export const codeOfKind = (kind: string): string =>
  kind.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter: string) => letter.toUpperCase());

export const kindOfCode = (code: string): string =>
  code.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
