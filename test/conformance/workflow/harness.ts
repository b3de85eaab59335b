/** What a workflow driver hands to the conformance suite: its client, and time and death at the suite's command. */
import type { Json } from '../../../shared/base/json.ts';
import type { ActivityContext, WorkflowClient } from '../../../shared/workflow/contract.ts';
import type { Workflow } from '../../../shared/workflow/vocabulary.ts';

/** Any input type fits: a method's parameters are compared both ways. */
export type TestActivity = { run(input: Json, context: ActivityContext): Promise<Json> }['run'];

export interface HarnessSetup {
  workflows: readonly Workflow[];
  activities: Readonly<Record<string, TestActivity>>;
}

export interface Harness {
  readonly client: WorkflowClient;
  now(): number;
  /** Runs, moving time as needed, until no instance is running. */
  runUntilIdle(): Promise<void>;
  /** Runs what is due within so many seconds, and leaves the clock there. */
  runFor(seconds: number): Promise<void>;
  /** The process ends without notice and comes again, perhaps with other code. */
  restart(workflows?: readonly Workflow[]): Promise<void>;
  /** The process dies around the n-th execution of an activity (from 0) and comes again by itself. */
  crashAt(execution: number, when: 'before' | 'after'): void;
  close(): Promise<void>;
}

export type MakeHarness = (setup: HarnessSetup) => Promise<Harness>;
