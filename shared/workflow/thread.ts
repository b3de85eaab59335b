/**
 * Drives one workflow generator: hands it the outcome of its last command and says what it asks for next. Pure: the
 * same outcomes always give the same turns, or the workflow breaks the rules of the vocabulary.
 */
import type { Json } from '../base/json.ts';
import { redactSecrets } from '../base/secrets/known-secrets.ts';
import type { CallCommand, Command, LeafCommand, Steps, Workflow } from './vocabulary.ts';

/** How a command ended. Only the message of an error survives a journal. A sleep has no value. */
export type Outcome = { ok: true; value?: Json } | { ok: false; error: string };

export type Turn =
  | { kind: 'command'; command: Command }
  | { kind: 'completed'; value: unknown }
  | { kind: 'failed'; error: string };

export class Thread {
  readonly #steps: Steps<Json>;

  /** The input must be a copy of its own: a workflow may change what it is given. */
  constructor(workflow: Workflow, input: Json) {
    this.#steps = workflow.run(input);
  }

  begin(): Turn {
    return this.#turn(() => this.#steps.next());
  }

  feed(outcome: Outcome): Turn {
    return this.#turn(() =>
      outcome.ok ? this.#steps.next(outcome.value) : this.#steps.throw(new Error(outcome.error)),
    );
  }

  #turn(move: () => IteratorResult<Command, Json>): Turn {
    let result: IteratorResult<Command, Json>;
    try {
      result = move();
    } catch (error) {
      return { kind: 'failed', error: messageOf(error) };
    }
    if (result.done) return { kind: 'completed', value: result.value };
    const wrong = wrongIn(result.value);
    return wrong ? { kind: 'failed', error: wrong } : { kind: 'command', command: result.value };
  }
}

const longestMessage = 2000;

/** The message of whatever was thrown, cut to a length that a journal can carry. */
export function messageOf(error: unknown): string {
  // It is stored, and it may quote somebody who sent a credential of ours back.
  const message = redactSecrets(error instanceof Error ? error.message || error.name : String(error));
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
}

/** Kind and name of a command: what a journal remembers of it, and what a replay is compared by. */
export function signature(command: Command): string {
  switch (command.kind) {
    case 'call':
    case 'poll':
      return `${command.kind} ${command.activity}`;
    case 'wait-signal':
      return `wait-signal ${command.name}`;
    case 'all':
      return `all [${command.items.map(signature).join(', ')}]`;
    default:
      return command.kind;
  }
}

/** The single commands that a command consists of. */
export function leavesOf(command: Command): readonly LeafCommand[] {
  if (command.kind === 'all') return command.items;
  return command.kind === 'call' || command.kind === 'poll' || command.kind === 'sleep' ? [command] : [];
}

/** The first activity that a command names and nobody has registered. */
export function unknownActivity(command: Command, activities: object): string | undefined {
  for (const leaf of leavesOf(command)) {
    if (leaf.kind !== 'sleep' && !Object.hasOwn(activities, leaf.activity)) return leaf.activity;
  }
  return undefined;
}

export const unknownActivityMessage = (name: string): string =>
  `the workflow calls the activity "${name}", which is not registered with this engine`;

function wrongInRetry({ activity, retry }: CallCommand): string | undefined {
  if (!retry) return undefined;
  const { max, firstSeconds, factor = 1, capSeconds = 0 } = retry;
  const isFine = max >= 1 && [firstSeconds, factor, capSeconds].every((n) => Number.isFinite(n) && n >= 0);
  return isFine ? undefined : `call ${activity} needs a retry of max ≥ 1 and pauses ≥ 0, not ${JSON.stringify(retry)}`;
}

function wrongIn(command: Command): string | undefined {
  const isSpan = (seconds: number) => Number.isFinite(seconds) && seconds >= 0;
  switch (command?.kind) {
    case 'call':
      return wrongInRetry(command);
    case 'now':
      return undefined;
    case 'sleep':
      return isSpan(command.seconds) ? undefined : `sleep needs seconds ≥ 0, not ${command.seconds}`;
    case 'poll':
      // A pause of nothing would ask without end.
      return isSpan(command.forSeconds) && isSpan(command.everySeconds) && command.everySeconds > 0
        ? undefined
        : `poll ${command.activity} needs everySeconds > 0 and forSeconds ≥ 0, not ${command.everySeconds} and ${command.forSeconds}`;
    case 'wait-signal':
      return isSpan(command.forSeconds) ? undefined : `wait-signal needs forSeconds ≥ 0, not ${command.forSeconds}`;
    case 'all':
      return command.items.map(wrongIn).find((wrong) => wrong !== undefined);
    default:
      return 'the workflow yielded something that is not a command: use yield* with the words of the vocabulary';
  }
}
