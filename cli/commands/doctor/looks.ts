/** Many looks side by side: none waits for another for long, and one that fails hides nothing. */

import type { Check } from '../../../shared/base/checks.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { systemTimers, type Timers, within } from '../../../shared/base/timers.ts';

export interface Look {
  /** What its checks are told under. */
  group: string;
  /** What it is called when it could not be made. */
  name: string;
  look(): Promise<Check[]>;
}

export interface GroupedCheck extends Check {
  readonly group: string;
}

const limitMs = 10_000;

export interface LookOptions {
  timers?: Timers;
  /** How many are done, and the names of those that are not. */
  onProgress?(done: number, all: number, open: readonly string[]): void;
}

/** In the order of the looks, whoever was faster. */
export async function allLooks(looks: readonly Look[], options: LookOptions = {}): Promise<GroupedCheck[]> {
  const { timers = systemTimers, onProgress } = options;
  const open = new Set(looks);
  const tell = (): void =>
    onProgress?.(
      looks.length - open.size,
      looks.length,
      [...open].map(({ name }) => name),
    );
  tell();
  const found = await Promise.all(
    looks.map(async (look) => {
      const checks = await withinTime(look, timers);
      open.delete(look);
      tell();
      return checks.map((check) => ({ group: look.group, ...check }));
    }),
  );
  return found.flat();
}

async function withinTime({ name, look }: Look, timers: Timers): Promise<Check[]> {
  try {
    const checks = await within(look(), limitMs, timers);
    return checks ?? [notChecked(name, `no answer within ${limitMs / 1000} seconds`)];
  } catch (error) {
    return [notChecked(name, errorText(error))];
  }
}

/** What nobody could look at is no failure, but somebody should know. */
export const notChecked = (name: string, why: string): Check => ({
  name,
  state: 'warn',
  message: `not checked: ${why}`,
});
