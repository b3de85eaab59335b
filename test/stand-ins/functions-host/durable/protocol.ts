import { errorText } from '../../../../shared/base/error-text.ts';
/**
 * What the Durable extension and an orchestrator function in another process say to each other: the history goes in,
 * all actions since the start of the orchestration come out.
 */

/** The numbers of history events, as they are on the wire. */
export const eventTypes = {
  executionStarted: 0,
  taskScheduled: 4,
  taskCompleted: 5,
  taskFailed: 6,
  subOrchestrationCreated: 7,
  subOrchestrationCompleted: 8,
  subOrchestrationFailed: 9,
  timerCreated: 10,
  timerFired: 11,
  orchestratorStarted: 12,
  orchestratorCompleted: 13,
  eventRaised: 15,
} as const;

export interface HistoryEvent {
  EventType: number;
  /** The sequence number of what was scheduled; -1 for everything else. */
  EventId: number;
  Timestamp: string;
  Name?: string;
  Input?: string;
  Result?: string;
  Reason?: string;
  Details?: string;
  InstanceId?: string;
  FireAt?: string;
  TaskScheduledId?: number;
  TimerId?: number;
}

/** An event that is on its way; it gets its time when the orchestration takes it in. */
export type NewEvent = Omit<HistoryEvent, 'Timestamp' | 'EventId'>;

export const actionTypes = {
  callActivity: 0,
  callActivityWithRetry: 1,
  callSubOrchestrator: 2,
  callSubOrchestratorWithRetry: 3,
  continueAsNew: 4,
  createTimer: 5,
  waitForExternalEvent: 6,
  whenAny: 11,
  whenAll: 12,
} as const;

export interface RetryOptions {
  firstRetryIntervalInMilliseconds: number;
  maxNumberOfAttempts: number;
  backoffCoefficient?: number;
  maxRetryIntervalInMilliseconds?: number;
}

export interface Action {
  actionType: number;
  functionName?: string;
  input?: unknown;
  instanceId?: string;
  retryOptions?: RetryOptions;
  fireAt?: string;
  isCanceled?: boolean;
  externalEventName?: string;
  compoundActions?: Action[];
}

/** What an orchestrator function answers. */
export interface OrchestratorState {
  isDone: boolean;
  actions: Action[][];
  output?: unknown;
  error?: string;
  customStatus?: unknown;
}

const failureLabel = '\n\n$OutOfProcData$:';

/** An orchestration that fails throws its state inside of a message. */
export function stateInError(error: unknown): OrchestratorState | undefined {
  const message = errorText(error);
  const at = message.indexOf(failureLabel);
  return at < 0 ? undefined : (JSON.parse(message.slice(at + failureLabel.length)) as OrchestratorState);
}

/** Timers longer than the first are cut into pieces of the second, by the extension and by the library alike. */
export const maximumShortTimerMs = 6 * 86_400_000;
export const longTimerPieceMs = 3 * 86_400_000;

export const timerLimits = {
  maximumShortTimerDuration: '6.00:00:00',
  longRunningTimerIntervalDuration: '3.00:00:00',
} as const;
