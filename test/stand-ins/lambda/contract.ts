/** What the stand-in for the Lambda service is given, and what may go wrong with it. */

/** What a function is told beside its event. */
export interface InvocationContext {
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  awsRequestId: string;
  memoryLimitInMB: string;
  logGroupName: string;
  logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
  /** Not of the real service: aborted when the process of this invocation is to end without notice. */
  killed: AbortSignal;
}

/** How a function is run: in this process, or as a bundle in another one. What it throws is a function error. */
export type RunFunction = (event: unknown, context: InvocationContext) => Promise<unknown>;

export interface FunctionDefinition {
  run: RunFunction;
  /** Only such a function can be started under a name, and goes on over many invocations. */
  durable?: { executionTimeoutSeconds?: number };
  /** How long one invocation may take; 30 s unless told otherwise. */
  timeoutSeconds?: number;
  /** More at once are refused with 429. */
  reservedConcurrency?: number;
}

/** Where the process of one invocation may be lost: all before the point has happened, nothing after it. */
export type FaultPoint =
  /** The function was called and has not begun. */
  | 'before-invocation'
  /** It wants to write its operations down; they are not written. */
  | 'before-checkpoint'
  /** They are written; it never learns of it. */
  | 'after-checkpoint'
  /** It has ended; the service never learns of it. */
  | 'after-invocation';

export interface LambdaFaults {
  /** True when the process is lost at this point. `name` is the function's. */
  loses?(point: FaultPoint, name: string): boolean | Promise<boolean>;
  /** True when an invocation of a durable function comes a second time while the first runs. */
  doubles?(name: string): boolean;
  /** True when a function that was asked for an answer runs twice; its second answer is given. */
  repeats?(name: string): boolean;
  /** True when an invocation is refused with 429. */
  throttles?(name: string): boolean;
}

/** What the service answers instead of doing what it was asked. */
export class LambdaError extends Error {
  readonly status: number;

  /** @param type As the SDK knows it, such as `ResourceNotFoundException`. */
  constructor(type: string, message: string, status = 400) {
    super(message);
    this.name = type;
    this.status = status;
  }
}

/** The process that ran an invocation is gone: nobody knows how far it came. */
export class ProcessLost extends Error {
  override readonly name = 'Runtime.ExitError';

  constructor(point: string, name: string) {
    super(`RequestId: unknown Error: Runtime exited with error: signal: killed (${point} of ${name})`);
  }
}
