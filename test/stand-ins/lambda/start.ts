/** The stand-in for the Lambda service as one thing: functions, an address for AWS clients, and an end. */
import type { Clock, Ids } from '../../../shared/base/runtime.ts';
import type { Timers } from '../../../shared/base/timers.ts';
import type { FunctionDefinition, LambdaFaults } from './contract.ts';
import { type LambdaHttp, startLambdaHttp } from './http.ts';
import { LambdaService } from './service.ts';
import { LambdaStore } from './store.ts';

export interface StartLambdaOptions {
  /** By their names. More may be given later by `service.define`. */
  functions?: Readonly<Record<string, FunctionDefinition>>;
  /** Where executions are kept; a new start on the same file goes on with them. In memory without it. */
  file?: string;
  clock?: Clock;
  timers?: Timers;
  ids?: Ids;
  faults?: LambdaFaults;
  region?: string;
  account?: string;
  port?: number;
  /** Invocations that the service itself begins at once; 10 unless told otherwise. */
  concurrency?: number;
  /** Every wait ends the invocation, so that there is a replay at every wake. */
  suspendsAtOnce?: boolean;
  retryPauseMs?: (failures: number) => number;
  pageSize?: number;
  /** False where a test moves the time by hand and calls `service.runDue()`. */
  live?: boolean;
}

export interface LambdaStandIn {
  /** For `AWS_ENDPOINT_URL_LAMBDA`, or the `endpoint` of a client. */
  readonly url: string;
  readonly service: LambdaService;
  readonly http: LambdaHttp;
  /** Waits for what runs. Executions that are not over stay in the file. */
  close(): Promise<void>;
}

/**
 * @example
 * const lambda = await startLambda({ functions: { steps: { run: async (event) => answer(event) } } });
 * const client = new LambdaClient({ region: 'eu-west-1', endpoint: lambda.url, credentials });
 */
export async function startLambda(options: StartLambdaOptions = {}): Promise<LambdaStandIn> {
  const { file = ':memory:', port, live = true, concurrency = 10, ...rest } = options;
  const store = new LambdaStore(file);
  const service = new LambdaService({ ...rest, store, concurrency });
  const http = await startLambdaHttp(service, port);
  if (live) service.run();
  return {
    url: http.url,
    service,
    http,
    async close() {
      await service.stop();
      await http.close();
      store.close();
    },
  };
}
