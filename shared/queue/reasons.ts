/** Why a message lies among the dead letters, in the same words on every broker. */
export const receivedTooOften = (count: number, failure: string | undefined, visibilitySeconds: number): string =>
  `received ${count} times, ${
    failure === undefined
      ? `and never settled: its handler crashed or took longer than ${visibilitySeconds} s`
      : `last failure: ${failure}`
  }`;
