/**
 * A running instance in memory: its generator stands at the current command, so a step costs no replay. All changes
 * happen here first, at once and together; `write` then puts the whole of them into the journal in one transaction.
 */
import type { Json } from '../../base/json.ts';
import type { WorkflowStatus } from '../contract.ts';
import { commandOutcome, type Item, instantOutcome, openItems } from '../progress.ts';
import { record } from '../recordable.ts';
import {
  leavesOf,
  type Outcome,
  signature,
  Thread,
  type Turn,
  unknownActivity,
  unknownActivityMessage,
} from '../thread.ts';
import type { Command, LeafCommand, Workflow } from '../vocabulary.ts';
import type { Journal, JournalRow, Position } from './journal.ts';

export interface LiveRules {
  activities: object;
  maxResultBytes: number;
  maxSteps: number;
  now(): number;
}

export interface LiveIdentity {
  key: string;
  epoch: number;
  group: string;
  workflow: string;
  version: number;
}

/** Why a recorded history can't be continued. */
export interface Mismatch {
  mismatch: string;
}

let made = 0;

export class Live {
  /** Tells it from others of its row: one that was put out of memory comes back as another. */
  readonly serial = ++made;
  /** Row number in the database; 0 until it is there. */
  row = 0;
  readonly identity: LiveIdentity;
  readonly #thread: Thread;
  readonly #rules: LiveRules;
  /** Signals that came and were not waited for yet; what the mailbox holds. */
  readonly mail = new Set<string>();
  /** How many commands have ended: the number of the current one. */
  step = 0;
  command: Command | undefined;
  items: Item[] = [];
  end: { status: WorkflowStatus; result: string | null; error: string | null } | undefined;
  endWritten = false;
  /** Another epoch has taken its place: what still comes of it is not written down, and nothing more of it begins. */
  replaced = false;
  /** Items that are queued or executing. An instance without any is parked and may be put out of memory. */
  active = 0;
  /** The write that will carry the changes made since the last one, if it has not run yet. */
  pendingWrite: Promise<void> | undefined;
  #finished: JournalRow[] = [];
  #taken: string[] = [];

  constructor(identity: LiveIdentity, workflow: Workflow, input: Json, rules: LiveRules) {
    this.identity = identity;
    this.#thread = new Thread(workflow, input);
    this.#rules = rules;
  }

  get id(): string {
    return `${this.identity.key}/${this.identity.epoch}`;
  }

  /** The single command behind an item; none for `wait-signal`. */
  leaf(index: number): LeafCommand | undefined {
    return this.command && leavesOf(this.command)[index];
  }

  /** Runs the generator to its first command. */
  begin(): void {
    this.#follow(this.#thread.begin());
  }

  /** Goes through a recorded history without any effect, and stops at the command that was open. */
  replay(
    rows: readonly JournalRow[],
    open: { step: number; current: string | null; items: Item[] },
  ): Mismatch | undefined {
    let turn = this.#thread.begin();
    for (const row of rows) {
      const asked = describeTurn(turn);
      if (asked !== row.command)
        return { mismatch: `step ${row.step}: recorded ${row.command}, the code does ${asked}` };
      turn = this.#thread.feed(row.outcome);
    }
    this.step = rows.length;
    // Nothing was recorded yet of an instance that went straight to the database when it was started.
    if (open.current === null && rows.length === 0) {
      this.#follow(turn);
      return undefined;
    }
    const asked = describeTurn(turn);
    if (turn.kind !== 'command' || asked !== open.current || open.step !== rows.length) {
      return { mismatch: `step ${rows.length}: recorded ${open.current} at ${open.step}, the code does ${asked}` };
    }
    this.command = turn.command;
    this.items = open.items;
    return undefined;
  }

  /** Moves on if every item of the current command has ended; true if it did. */
  moveOn(): boolean {
    if (!this.command) return false;
    const outcome = commandOutcome(this.command, this.items);
    if (!outcome) return false;
    this.#finish(this.command, outcome);
    this.#follow(this.#thread.feed(outcome));
    return true;
  }

  /** A signal has come: it ends the wait for it, or is kept. True if the instance moved on. */
  deliver(name: string): boolean {
    this.mail.add(name);
    if (this.command?.kind !== 'wait-signal' || this.command.name !== name || this.items[0]?.outcome) return false;
    this.#take(name);
    this.items[0]!.outcome = { ok: true, value: true };
    return this.moveOn();
  }

  #follow(first: Turn): void {
    let turn = first;
    for (;;) {
      this.command = undefined;
      this.items = [];
      this.end = this.#endOf(turn);
      if (this.end || turn.kind !== 'command') return;
      const outcome = this.#instant(turn.command);
      if (!outcome) {
        this.command = turn.command;
        this.items = openItems(turn.command, this.#rules.now());
        return;
      }
      this.#finish(turn.command, outcome);
      turn = this.#thread.feed(outcome);
    }
  }

  #instant(command: Command): Outcome | undefined {
    if (command.kind === 'wait-signal' && this.mail.has(command.name)) {
      this.#take(command.name);
      return { ok: true, value: true };
    }
    return instantOutcome(command, this.#rules.now());
  }

  #take(name: string): void {
    this.mail.delete(name);
    this.#taken.push(name);
  }

  #finish(command: Command, outcome: Outcome): void {
    this.#finished.push({ step: this.step++, command: signature(command), outcome, at: this.#rules.now() });
  }

  /** How the instance ends with this turn, if it does. */
  #endOf(turn: Turn): Live['end'] {
    if (turn.kind === 'failed') return failed(turn.error);
    if (turn.kind === 'completed') {
      const result = record(turn.value ?? null, 'the result of the workflow', this.#rules.maxResultBytes);
      return result.ok ? { status: 'completed', result: result.text, error: null } : failed(result.error);
    }
    if (this.step >= this.#rules.maxSteps) return failed(`it took more than ${this.#rules.maxSteps} steps`);
    const missing = unknownActivity(turn.command, this.#rules.activities);
    return missing === undefined ? undefined : failed(unknownActivityMessage(missing));
  }

  /** Where it stands, as the database keeps it. */
  position(): Position {
    const open = this.items.filter((item) => !item.outcome);
    return {
      step: this.step,
      current: this.command ? signature(this.command) : null,
      items: JSON.stringify(this.items),
      signal: this.command?.kind === 'wait-signal' ? this.command.name : null,
      due: Math.min(...open.map((item) => (item.executing ? item.since : item.due)), Number.MAX_SAFE_INTEGER),
      executing: open.filter((item) => item.executing).length,
      wake: null,
    };
  }

  /** Writes every change since the last write. It runs inside a transaction, with the state of that moment. */
  write(journal: Journal): void {
    if (this.replaced) return;
    for (const row of this.#finished) journal.insertStep(this.row, row);
    for (const name of this.#taken) journal.takeSignal(this.row, name);
    this.#finished = [];
    this.#taken = [];
    if (this.end) {
      journal.end(this.row, this.end.status, this.#rules.now(), this.end.result, this.end.error);
      this.endWritten = true;
    } else journal.updatePosition(this.row, this.position());
  }
}

const failed = (error: string): NonNullable<Live['end']> => ({ status: 'failed', result: null, error });

function describeTurn(turn: Turn): string {
  return turn.kind === 'command' ? signature(turn.command) : `the end (${turn.kind})`;
}
