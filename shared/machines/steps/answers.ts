/** What activities answer to the workflow. Plain data: it goes through a journal. */

/** It can't be said or done now, or something has to pass first; the workflow waits, for a signal at most that long. */
export type Again = { do: 'again'; seconds: number; why: string };

export type AdvanceResult =
  | Again
  /** Nothing is left to do. */
  | { do: 'end'; why: string };
