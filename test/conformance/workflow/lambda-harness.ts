/**
 * The Lambda durable driver with the real library, on the stand-in for the service, with time moved by hand. Executions and the
 * state outlive every process; a process is no more than one invocation.
 */
import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import type { StartRequest, WorkflowClient } from '../../../shared/workflow/contract.ts';
import { LambdaWorkflowClient } from '../../../shared/workflow/lambda-durable/client.ts';
import { durableHandler } from '../../../shared/workflow/lambda-durable/handler.ts';
import { openLambdaApi } from '../../../shared/workflow/lambda-durable/http-api.ts';
import { LambdaInspection } from '../../../shared/workflow/lambda-durable/inspection.ts';
import { runActivity } from '../../../shared/workflow/run-activity.ts';
import type { LambdaFaults } from '../../stand-ins/lambda/contract.ts';
import { type LambdaStandIn, startLambda } from '../../stand-ins/lambda/start.ts';
import type { Harness, HarnessSetup } from './harness.ts';

export interface LambdaHarness extends Harness {
  readonly lambda: LambdaStandIn;
  readonly state: State;
  readonly inspection: LambdaInspection;
  readonly clock: ReturnType<typeof manualClock>;
  /** Another one like the harness's own, as in another process. */
  newClient(): LambdaWorkflowClient;
  /** Runs what is due now, and nothing later. */
  settle(): Promise<void>;
  /** Further faults, beside those of `crashAt`. */
  faults: LambdaFaults & ActivityFaults;
}

export interface ActivityFaults {
  /** True when the process is lost before an activity has run, or after it. */
  losesActivity?(when: 'before' | 'after', name: string): boolean | Promise<boolean>;
  /** True when an activity that has just run is run once more. */
  repeatsActivity?(name: string): boolean;
  /** True when an activity can't be called, because too much is asked for at once. */
  refusesActivity?(name: string): boolean;
}

export interface LambdaSetup extends HarnessSetup {
  /** Shared with the world that the activities live in. */
  clock?: ReturnType<typeof manualClock>;
  state?: State;
  pageSize?: number;
}

const functionName = 'workflows';

export async function makeLambdaHarness(setup: LambdaSetup): Promise<LambdaHarness> {
  const clock = setup.clock ?? manualClock();
  const state = setup.state ?? openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const crashes = new Map<number, 'before' | 'after'>();
  let executions = 0;
  let workflows = setup.workflows;

  const lambda = await startLambda({
    clock,
    live: false,
    concurrency: 1,
    suspendsAtOnce: true,
    retryPauseMs: () => 0,
    ...defined({ pageSize: setup.pageSize }),
    faults: {
      loses: (point, name) => harness.faults.loses?.(point, name) ?? false,
      doubles: (name) => harness.faults.doubles?.(name) ?? false,
    },
  });
  const { service } = lambda;

  /** A lost process neither goes on nor hears of anything. */
  async function die(arn: string): Promise<never> {
    service.loseProcess(arn);
    return new Promise(() => undefined);
  }

  const deploy = (): void =>
    service.define(functionName, {
      durable: {},
      run: (event, context) => {
        const { DurableExecutionArn: arn } = event as { DurableExecutionArn: string };
        const handler = durableHandler({
          workflows,
          activities: setup.activities,
          records: state,
          clock,
          client: service.client(),
          async runActivity(name, payload) {
            const number = executions++;
            const loses = async (when: 'before' | 'after'): Promise<boolean> =>
              crashes.get(number) === when || ((await harness.faults.losesActivity?.(when, name)) ?? false);
            if (await loses('before')) return die(arn);
            if (harness.faults.refusesActivity?.(name)) return { ok: false, error: 'rate exceeded', busy: true };
            const activity = setup.activities[name];
            if (!activity) throw new Error(`there is no activity ${name}`);
            if (harness.faults.repeatsActivity?.(name)) await runActivity(name, activity, payload);
            const answer = await runActivity(name, activity, payload);
            return (await loses('after')) ? die(arn) : answer;
          },
        });
        return handler(event as Parameters<typeof handler>[0], context as never);
      },
    });
  deploy();

  const credentials = async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
  const api = openLambdaApi({
    region: 'eu-west-1',
    endpoint: lambda.url,
    credentials,
    functionName,
    qualifier: 'live',
    // Pauses between tries are over at once.
    timers: {
      after: (_milliseconds, callback) => {
        const soon = setImmediate(callback);
        return () => clearImmediate(soon);
      },
    },
  });
  const newClient = () => new LambdaWorkflowClient({ api, records: state, workflows, clock });
  let current = newClient();
  const requests = new Map<string, StartRequest>();
  const client: WorkflowClient = {
    ensure<Input extends Json>(request: StartRequest<Input>) {
      const started = current.ensure(request);
      // What can't be started is nothing to look after.
      void started.then(
        () => requests.set(request.key, request as StartRequest),
        () => undefined,
      );
      return started;
    },
    signal: (key, name) => current.signal(key, name),
    latest: (key) => current.latest(key),
  };

  /** The product's resync, which makes sure that whatever is not done has a workflow. */
  async function resync(): Promise<boolean> {
    let restarted = false;
    for (const [key, request] of requests) {
      if ((await current.latest(key))?.status !== 'mismatched') continue;
      const workflow = workflows.find(({ name }) => name === request.workflow.name);
      if (workflow) restarted = (await current.ensure({ ...request, workflow })).started || restarted;
    }
    return restarted;
  }

  async function settle(): Promise<void> {
    do await service.runDue();
    while (await resync());
  }

  const harness: LambdaHarness = {
    client,
    lambda,
    state,
    clock,
    inspection: new LambdaInspection(api, newClient()),
    newClient,
    settle,
    faults: {},
    now: () => clock.now(),
    async runUntilIdle() {
      await settle();
      for (let rounds = 0; service.countRunning() > 0; rounds++) {
        const next = service.nextDue();
        if (rounds > 10_000 || next === Number.POSITIVE_INFINITY) throw new Error('the service does not come to rest');
        clock.advance(Math.max(0, next - clock.now()));
        await settle();
      }
    },
    async runFor(seconds) {
      const until = clock.now() + seconds * 1000;
      await settle();
      while (service.nextDue() <= until) {
        clock.advance(Math.max(0, service.nextDue() - clock.now()));
        await settle();
      }
      clock.advance(until - clock.now());
    },
    async restart(code) {
      workflows = code ?? workflows;
      deploy();
      current = newClient();
    },
    crashAt: (execution, when) => void crashes.set(execution, when),
    async close() {
      api.close();
      await lambda.close();
    },
  };
  return harness;
}
