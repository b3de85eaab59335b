/** What the command says to a script. Documented in docs/reference/cli.md; a number never changes its meaning. */
export const exitCodes = {
  done: 0,
  /** It could not be done, or what was checked is not in order. */
  failed: 1,
  /** The command line was not understood; nothing was tried. */
  misused: 2,
  /** Somebody was asked, or could not be asked, and did not say yes; nothing was changed. */
  declined: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
