/** Runs a bounded number of tasks at once, and those of one key one after the other. For a single caller that awaits `add`. */
export interface OrderedTasks {
  /** Starts the task; the promise, if there is one, is to be awaited before the next is added. Tasks must not reject. */
  add(key: string, task: () => Promise<void>): Promise<void> | undefined;
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
}

export function orderedTasks(limit: number): OrderedTasks {
  const tails = new Map<string, Promise<void>>();
  let running = 0;
  let wake: (() => void) | undefined;
  const nextEnd = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  return {
    add: (key, task) => {
      running += 1;
      const before = tails.get(key);
      const ended = (before === undefined ? task() : before.then(task)).then(() => {
        running -= 1;
        if (tails.get(key) === ended) tails.delete(key);
        wake?.();
      });
      tails.set(key, ended);
      return running < limit ? undefined : nextEnd();
    },
    idle: async () => {
      while (running > 0) await nextEnd();
    },
  };
}
