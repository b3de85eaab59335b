/** The part of the Lambda service's API that workflows are started, woken and looked at by. */

/** How an execution stands. Times are milliseconds. */
export interface ExecutionView {
  arn: string;
  name: string;
  status: string;
  startedAt: number;
  endedAt?: number;
  input?: string;
  result?: string;
  error?: { type?: string; message?: string };
}

/** Something that happened to an operation of an execution, or to the execution itself. */
export interface EventView {
  /** Such as `StepSucceeded`. */
  type: string;
  at: number;
  name?: string;
  result?: string;
  error?: string;
  /** The step is tried again. */
  isRetried: boolean;
}

/** Every call throws an Error that says what was asked and what was answered. */
export interface LambdaApi {
  /** The durable function, as it was named. */
  readonly functionName: string;
  /** Nothing when the name is taken by an execution with another payload. */
  start(name: string, payload: string): Promise<{ arn: string } | undefined>;
  /** Nothing when there is no such execution, or none any more. */
  execution(arn: string): Promise<ExecutionView | undefined>;
  find(name: string): Promise<ExecutionView | undefined>;
  /** In the order of their start. @param status As the service calls it; all of them without it. */
  list(status: string | undefined, marker?: string): Promise<{ items: ExecutionView[]; next?: string }>;
  /** In their order, or the newest first. */
  history(arn: string, query: HistoryQuery): Promise<{ events: EventView[]; next?: string }>;
  /** What is over needs no stopping. */
  stop(arn: string, reason: string): Promise<void>;
  /** False when the callback is closed or unknown. */
  completeCallback(id: string): Promise<boolean>;
  close(): void;
}

export interface HistoryQuery {
  newestFirst: boolean;
  withData: boolean;
  limit: number;
  marker?: string;
}
