/** Ctrl-C and kill: the first asks to stop in order, the second ends the process at once. */

/** One Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
const samePressMs = 400;

/** Resolves at the first signal. `say` tells a person that the second one does not wait. */
export function untilStopped(say?: (text: string) => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      if (askedAt === undefined) {
        askedAt = now;
        say?.(
          'Stopping after the running steps finish. Press Ctrl-C again to exit immediately; nothing is lost either way.',
        );
        resolve(signal);
      } else if (now - askedAt > samePressMs) {
        process.exit(130);
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
