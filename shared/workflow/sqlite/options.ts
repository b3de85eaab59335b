/** What an engine is given, and the defaults of its limits. */
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import type { Timers } from '../../base/timers.ts';
import type { SqliteDatabase, StorageError } from '../../platforms/sqlite/sqlite.ts';
import type { ActivityContext, WorkflowInfo, WorkflowStatus } from '../contract.ts';
import type { Workflow } from '../vocabulary.ts';

/** Everything the engine ever says: a host that has ids for its log lines gives each of these its own. */
export type EngineMessage =
  | 'workflow started'
  | 'workflow completed'
  | 'workflow failed'
  | 'workflow set aside'
  | 'history closed and started afresh'
  | 'activity threw'
  | 'trying again what was set aside'
  | 'started once more by request'
  | 'the journal is unusable';

type Say = (fields: { workflowId?: string } & Record<string, unknown>, message: EngineMessage) => void;

export interface EngineLog {
  debug: Say;
  info: Say;
  warn: Say;
  error: Say;
}

export type StepOutcome = 'ok' | 'error' | 'retry';

/** Called for counting and timing; they must not throw. */
export interface EngineMetrics {
  /** One execution of an activity. A round of a poll that is not done yet counts as ok. */
  stepFinished?(activity: string, milliseconds: number, outcome: StepOutcome, input: Json): void;
  workflowStarted?(workflow: string): void;
  workflowEnded?(workflow: string, status: WorkflowStatus): void;
  mismatched?(workflow: string): void;
  setAside?(workflow: string): void;
  /** So many instances were taken up from the database: after a restart, or because they had been put out of memory. */
  resumed?(count: number): void;
}

export interface EngineLimits {
  /** Activities that execute at the same time. */
  concurrency: number;
  /** The same for one group, so that one silent cluster never takes all. */
  perGroup: number;
  /** Instances kept in memory. Those beyond wait in the database and are replayed when they are due. */
  hotGenerators: number;
  /** How many of these may be parked, that is wait for a time or a signal with nothing to do. */
  parkedGenerators: number;
  /** How many instances per second are taken up from the database. */
  resumePerSecond: number;
  /** How long the history of an ended instance is kept. */
  retentionSeconds: number;
  /** A step that was executing at so many deaths of the process in a row is set aside. */
  maxKills: number;
  /** Steps under suspicion that may execute at the same time. */
  suspects: number;
  /** After this time an instance that was set aside no longer keeps `ensure` from starting the next epoch. */
  setAsideSeconds: number;
  maxResultBytes: number;
  /** A workflow with more commands than this has lost its way and fails. */
  maxSteps: number;
}

export const defaultLimits: Omit<EngineLimits, 'perGroup'> = {
  concurrency: 64,
  hotGenerators: 20_000,
  parkedGenerators: 2000,
  resumePerSecond: 2000,
  retentionSeconds: 86_400,
  maxKills: 3,
  suspects: 8,
  setAsideSeconds: 900,
  maxResultBytes: 65_536,
  maxSteps: 10_000,
};

export interface EngineOptions {
  /** The journal, from `openJournal`. One engine at a time may use it. */
  database: SqliteDatabase;
  workflows: readonly Workflow[];
  activities: Readonly<Record<string, AnyActivity>>;
  clock: Clock;
  timers?: Timers;
  log: EngineLog;
  metrics?: EngineMetrics;
  limits?: Partial<EngineLimits>;
  /** Hard limit on one execution: its signal is aborted and it counts as thrown. */
  activityDeadlineSeconds?: number;
  /** Called once when the journal can't be used any more. The engine has stopped by then. */
  onFatal?: (error: StorageError) => void;
  /**
   * For a new journal: the first epoch is one above this. Give it something that grows (minutes since some day), and ids
   * are never used twice even when a journal was lost. Default 0.
   */
  epochFloor?: number;
}

/**
 * An activity of whatever input. Registered ones each have an input type of their own, which the engine only carries;
 * a method's parameters are compared both ways, so they all fit here.
 */
export type AnyActivity = { run(input: Json, context: ActivityContext): Promise<Json> }['run'];

/** One line of an instance's history. */
export interface HistoryLine {
  step: number;
  command: string;
  ok: boolean;
  value?: Json;
  error?: string;
  at: number;
}

export interface Inspection extends WorkflowInfo {
  group: string;
  input: Json;
  history: HistoryLine[];
  /** Signals that came and were not waited for yet. */
  signals: string[];
}

export interface EngineStats {
  /** How many instances there are of each workflow in each status. */
  byWorkflow: Record<string, Partial<Record<WorkflowStatus, number>>>;
  /** Steps that wait for their turn. */
  ready: number;
  /** Steps that execute now. */
  running: number;
  /** Instances in memory. */
  hot: number;
  /** Writes that wait for their commit. */
  pendingWrites: number;
  commits: number;
  writes: number;
}
