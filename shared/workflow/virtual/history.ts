/** One instance of the virtual engine: what it has done, and what it stands at. */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { WorkflowInfo, WorkflowStatus } from '../contract.ts';
import type { Item } from '../progress.ts';
import { type Outcome, signature, Thread, type Turn } from '../thread.ts';
import type { Command, Workflow } from '../vocabulary.ts';
import { waitingIn } from '../waiting.ts';

interface FinishedCommand {
  signature: string;
  /** The whole command: the same code must ask for exactly the same again. */
  text: string;
  outcome: Outcome;
  at: number;
}

/** A workflow whose commands differ between two runs over the same results. */
export class NotDeterministic extends Error {
  override readonly name = 'NotDeterministic';
}

export class History {
  readonly key: string;
  readonly epoch: number;
  /** The code that made this history. */
  readonly workflow: Workflow;
  /** As JSON. */
  readonly input: string;
  readonly startedAt: number;
  readonly finished: FinishedCommand[] = [];
  readonly mail = new Set<string>();
  open: { command: Command; items: Item[] } | undefined;
  status: WorkflowStatus = 'running';
  #endedAt: number | undefined;
  #end: { result?: Json; error?: string } = {};

  constructor(start: { key: string; epoch: number; workflow: Workflow; input: string; startedAt: number }) {
    this.key = start.key;
    this.epoch = start.epoch;
    this.workflow = start.workflow;
    this.input = start.input;
    this.startedAt = start.startedAt;
  }

  get id(): string {
    return `${this.key}/${this.epoch}`;
  }

  /** Runs the code from its start over what is recorded. Other code may differ (a mismatch); the same code never. */
  replay(code: Workflow): { turn: Turn; mismatch?: string } {
    const thread = new Thread(code, JSON.parse(this.input));
    let turn = thread.begin();
    if (code.version !== this.workflow.version) {
      return {
        turn,
        mismatch: `it was started with version ${this.workflow.version}, but the code has version ${code.version}`,
      };
    }
    for (const [step, row] of this.finished.entries()) {
      const wrong = this.#difference(code, step, row, turn);
      if (wrong) return { turn, mismatch: wrong };
      turn = thread.feed(structuredClone(row.outcome));
    }
    const { open } = this;
    const wrong = open && this.#difference(code, this.finished.length, describe(open.command), turn);
    return wrong ? { turn, mismatch: wrong } : { turn };
  }

  #difference(code: Workflow, step: number, was: { signature: string; text: string }, turn: Turn): string | undefined {
    const is = turn.kind === 'command' ? describe(turn.command) : { signature: `the end (${turn.kind})`, text: '' };
    if (code !== this.workflow) {
      return is.signature === was.signature
        ? undefined
        : `step ${step}: recorded ${was.signature}, the code does ${is.signature}`;
    }
    if (is.text === was.text) return undefined;
    throw new NotDeterministic(
      `${this.id}: workflow "${code.name}" is not deterministic: step ${step} was ${was.text}, and on replay it is ${is.text || is.signature}`,
    );
  }

  finish(command: Command, outcome: Outcome, at: number): void {
    this.finished.push({ ...describe(command), outcome: structuredClone(outcome), at });
    this.open = undefined;
  }

  close(status: WorkflowStatus, at: number, end: { result?: Json; error?: string }): void {
    this.status = status;
    this.#endedAt = at;
    this.#end = end;
    this.open = undefined;
  }

  info(): WorkflowInfo {
    const { id, key, epoch, workflow, status, startedAt, open } = this;
    return {
      id,
      key,
      epoch,
      workflow: workflow.name,
      version: workflow.version,
      status,
      startedAt,
      ...defined({ endedAt: this.#endedAt }),
      ...(status === 'running' ? waitingIn(open && signature(open.command), undefined, 'its next step') : {}),
      ...this.#end,
    };
  }
}

function describe(command: Command): { signature: string; text: string } {
  return { signature: signature(command), text: JSON.stringify(command) };
}
