/**
 * What an execution has on record, to compare a replay with. The library compares kinds and names too, but it takes no
 * notice of a poll that changed or of commands that are left out, and finds the rest only after the next step has run.
 */
import { commandOf } from './names.ts';

export class RecordedOperations {
  readonly #byCommand = new Map<number, string[]>();
  #last = -1;

  /** @param names Of every operation of the history. */
  constructor(names: readonly string[]) {
    for (const name of names) {
      const command = commandOf(name);
      const known = this.#byCommand.get(command);
      if (known) known.push(name);
      else this.#byCommand.set(command, [name]);
      if (command > this.#last) this.#last = command;
    }
  }

  /**
   * @param command Its number.
   * @param operations Those that it may make; the first of them comes before all others.
   * @returns What is wrong with it, if anything is.
   */
  differs(command: number, operations: readonly string[]): string | undefined {
    const recorded = this.#byCommand.get(command) ?? [];
    const foreign = recorded.find((name) => !operations.includes(name));
    if (foreign !== undefined) return `the history has "${foreign}" where the code has ${listed(operations)}`;
    const isMissing = operations.length > 0 && recorded.length === 0 && this.#last > command;
    return isMissing ? `the code has ${listed(operations)}, which the history does not have` : undefined;
  }

  /** What is wrong with an end after so many commands. */
  differsAtEnd(commands: number): string | undefined {
    if (this.#last < commands) return undefined;
    return `the code ends after ${commands} commands, the history continues with "${this.#byCommand.get(this.#last)?.[0]}"`;
  }
}

const listed = (operations: readonly string[]): string =>
  operations.length === 0 ? 'nothing to record' : operations.map((name) => `"${name}"`).join(' or ');
