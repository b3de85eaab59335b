/**
 * The workflow port: what an engine owes to the rest of the product. Every driver passes `test/conformance/workflow/conformance.ts`.
 *
 * - A workflow id is `key/epoch`. Histories are expendable: when one is lost, broken or of an old version, the next
 *   epoch of the same key starts from the truth on the claim.
 * - Activities run at least once. A crash between an effect and its journal write repeats the activity.
 * - Signals are hints: they may be lost, late or doubled, and carry nothing.
 */
import type { Json } from '../base/json.ts';
import type { Workflow } from './vocabulary.ts';
import type { Waiting } from './waiting.ts';

/** What an activity is told about its execution; it logs with it and stops when the signal says so. */
export interface ActivityContext {
  readonly workflowId: string;
  readonly activity: string;
  /** Grows with every execution of the same step, also across crashes where the engine can know. */
  readonly execution: number;
  readonly signal: AbortSignal;
}

export type Activity<Input extends Json = Json, Output extends Json = Json> = (
  input: Input,
  context: ActivityContext,
) => Promise<Output>;

export type WorkflowStatus = 'running' | 'completed' | 'failed' | 'mismatched' | 'set-aside';

export interface WorkflowInfo {
  id: string;
  key: string;
  epoch: number;
  workflow: string;
  version: number;
  status: WorkflowStatus;
  startedAt: number;
  endedAt?: number;
  /** What it waits for right now, for people: `call beginCreate`, `wait-signal look until …`. */
  waitingFor?: string;
  /** The same as data; absent where the engine can't tell which command is open. */
  waiting?: Waiting;
  result?: Json;
  error?: string;
}

export interface StartRequest<Input extends Json = Json> {
  workflow: Workflow<Input, Json>;
  /** cluster / claim uid / kind. */
  key: string;
  input: Input;
  /** Work of one group never starves another's: the cluster. */
  group: string;
  /** The new epoch is above this one too: what the caller knows of epochs that the engine may have forgotten. */
  aboveEpoch?: number;
}

/** How functions reach workflows. */
export interface WorkflowClient {
  /**
   * Makes sure that a workflow of this key is running: starts the next unused epoch unless one runs.
   * Starting twice is a no-op, however many callers race. Resolves when the start is durable.
   * One that was set aside still holds its key: starting it again at once would only repeat what it was set aside for.
   */
  ensure<Input extends Json>(request: StartRequest<Input>): Promise<{ id: string; epoch: number; started: boolean }>;
  /** Wakes the running workflow of this key, now or at its next wait for that signal. No-op if none runs. */
  signal(key: string, name: string): Promise<void>;
  /** The newest epoch of the key, running or ended, while its history is kept. */
  latest(key: string): Promise<WorkflowInfo | undefined>;
}
