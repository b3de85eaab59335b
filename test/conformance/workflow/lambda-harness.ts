/**
 * The Lambda durable driver with the real library, on the stand-in for the service, with time moved by hand. Executions and the
 * state outlive every process; a process is no more than one invocation.
 */
import { defined } from '../../../shared/base/defined.ts';
import { LambdaWorkflowClient } from '../../../shared/workflow/lambda-durable/client.ts';
import { durableHandler } from '../../../shared/workflow/lambda-durable/handler.ts';
import { openLambdaApi } from '../../../shared/workflow/lambda-durable/http-api.ts';
import { LambdaInspection } from '../../../shared/workflow/lambda-durable/inspection.ts';
import { runActivity } from '../../../shared/workflow/run-activity.ts';
import type { LambdaFaults } from '../../stand-ins/lambda/contract.ts';
import { type LambdaStandIn, startLambda } from '../../stand-ins/lambda/start.ts';
import { type CloudHarness, type CloudSetup, cloudParts, onPlatform } from './cloud-harness.ts';

export interface LambdaHarness extends CloudHarness {
  readonly lambda: LambdaStandIn;
  readonly inspection: LambdaInspection;
  /** Another one like the harness's own, as in another process. */
  newClient(): LambdaWorkflowClient;
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

export interface LambdaSetup extends CloudSetup {
  pageSize?: number;
}

const functionName = 'workflows';

export async function makeLambdaHarness(setup: LambdaSetup): Promise<LambdaHarness> {
  const { clock, state } = cloudParts(setup);
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
  const driven = onPlatform(
    {
      runDue: () => service.runDue(),
      nextDue: () => service.nextDue(),
      countRunning: () => service.countRunning(),
      workflows: () => workflows,
      current: () => current,
    },
    clock,
  );

  const harness: LambdaHarness = {
    ...driven,
    lambda,
    state,
    clock,
    inspection: new LambdaInspection(api, newClient()),
    newClient,
    faults: {},
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
