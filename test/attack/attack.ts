/** An attack: what somebody with the rights of a neighbor does, and what it must not come to. */
import type { Stage } from './stage.ts';

export interface Attack {
  readonly name: string;
  /** @returns What was measured, for people. Throws `Succeeded` if the attack did harm. */
  run(stage: Stage): Promise<string>;
}

export class Succeeded extends Error {
  override readonly name = 'Succeeded';
}

/** Twice the quiet time; on a small scale the machine itself takes a moment now and then. */
export function expectQuiet(what: string, quiet: number, attacked: number): string {
  const text = `${what} ${attacked.toFixed(2)} s, quiet ${quiet.toFixed(2)} s`;
  if (attacked > Math.max(2 * quiet, quiet + 1)) throw new Succeeded(text);
  return text;
}

export function expectThat(holds: boolean, text: string): void {
  if (!holds) throw new Succeeded(text);
}
