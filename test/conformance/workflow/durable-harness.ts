/**
 * The Durable Functions driver with the real library, on the stand-in for the host, with time moved by hand. The task
 * hub and the state outlive every process; a process is no more than what an app has in memory.
 */
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import type { StartRequest, WorkflowClient } from '../../../shared/workflow/contract.ts';
import { DurableWorkflowClient } from '../../../shared/workflow/durable-functions/client.ts';
import { readEndpoint } from '../../../shared/workflow/durable-functions/endpoint.ts';
import { activityFunction, mailboxFunction } from '../../../shared/workflow/durable-functions/names.ts';
import { orchestrators } from '../../../shared/workflow/durable-functions/orchestrator.ts';
import type { StepCall } from '../../../shared/workflow/durable-functions/payloads.ts';
import { runActivity, runMailbox } from '../../../shared/workflow/run-activity.ts';
import { type FunctionApp, installFunctionsCore, startApp } from '../../stand-ins/functions-host/core.ts';
import type { DurableFaults } from '../../stand-ins/functions-host/durable/faults.ts';
import { type DurableHttp, startDurableHttp } from '../../stand-ins/functions-host/durable/http.ts';
import { TaskHub } from '../../stand-ins/functions-host/durable/hub.ts';
import { HubStore } from '../../stand-ins/functions-host/durable/store.ts';
import type { Harness, HarnessSetup } from './harness.ts';

// The library looks for the host when it is loaded.
installFunctionsCore();
const functions = await import('@azure/functions');

export interface DurableHarness extends Harness {
  readonly hub: TaskHub;
  readonly http: DurableHttp;
  readonly state: State;
  readonly clock: ReturnType<typeof manualClock>;
  /** Another one like the harness's own, as in another process. */
  newClient(): DurableWorkflowClient;
  /** Runs what is due now, and nothing later. */
  settle(): Promise<void>;
  /** Further faults, beside those of `crashAt`. */
  faults: DurableFaults;
}

export interface DurableSetup extends HarnessSetup {
  /** False for an extension without the local interface. */
  rpc?: boolean;
  /** Shared with the world that the activities live in. */
  clock?: ReturnType<typeof manualClock>;
  state?: State;
  /** Activities whose function itself fails, as one without memory or out of time does. */
  broken?: readonly string[];
}

export async function makeDurableHarness(setup: DurableSetup): Promise<DurableHarness> {
  const clock = setup.clock ?? manualClock();
  const store = new HubStore(':memory:');
  const state = setup.state ?? openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const crashes = new Map<number, 'before' | 'after'>();
  let executions = 0;
  let workflows = setup.workflows;

  const startProcess = (): Promise<FunctionApp> =>
    startApp(() => {
      const generic = (name: string, type: string, handler: (input: unknown, context: unknown) => unknown) =>
        functions.app.generic(name, { trigger: functions.trigger.generic({ type }), handler });
      for (const [name, handler] of Object.entries(
        orchestrators({ workflows, activities: setup.activities, functionFor: () => 'steps' }),
      )) {
        generic(name, 'orchestrationTrigger', handler);
      }
      const step = async (name: string, payload: unknown) => {
        if (setup.broken?.includes(name)) throw new Error('Timeout value of 00:10:00 exceeded');
        const activity = setup.activities[name];
        if (!activity) throw new Error(`there is no activity ${name}`);
        return { ...(await runActivity(name, activity, payload)), activity: name };
      };
      generic('steps', 'activityTrigger', (call) => {
        const { activity, ...payload } = call as StepCall;
        return step(activity, payload);
      });
      // For orchestrations that began when each was a function of its own.
      for (const name of Object.keys(setup.activities)) {
        generic(activityFunction(name), 'activityTrigger', (payload) => step(name, payload));
      }
      generic(mailboxFunction, 'activityTrigger', (payload) => runMailbox(state, payload));
    });

  const hub = new TaskHub({ store, clock, nextProcess: startProcess });
  hub.faults = {
    async loses(point, name) {
      if (await harness.faults.loses?.(point, name)) return true;
      if (name !== 'steps' && !name.startsWith(activityFunction(''))) return false;
      if (point === 'before-activity') return crashes.get(executions++) === 'before';
      return point === 'after-activity' && crashes.get(executions - 1) === 'after';
    },
    completions: (name) => harness.faults.completions?.(name) ?? 1,
    repeats: (name) => harness.faults.repeats?.(name) ?? false,
    eventDelays: (name) => harness.faults.eventDelays?.(name) ?? [0],
    clockAhead: () => harness.faults.clockAhead?.() ?? 0,
  };
  hub.use(await startProcess());
  const http = await startDurableHttp({ hub, rpc: setup.rpc ?? true });
  const clients: DurableWorkflowClient[] = [];
  const newClient = (): DurableWorkflowClient => {
    const endpoint = readEndpoint(http.clientData().string);
    const client = new DurableWorkflowClient({ endpoint, records: state, workflows, clock });
    clients.push(client);
    return client;
  };
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
    do await hub.runDue();
    while (await resync());
  }

  const harness: DurableHarness = {
    client,
    hub,
    http,
    state,
    clock,
    newClient,
    settle,
    faults: {},
    now: () => clock.now(),
    async runUntilIdle() {
      await settle();
      for (let rounds = 0; store.countRunning() > 0; rounds++) {
        const next = hub.nextDue();
        if (rounds > 10_000 || next === Number.POSITIVE_INFINITY) throw new Error('the hub does not come to rest');
        clock.advance(Math.max(0, next - clock.now()));
        await settle();
      }
    },
    async runFor(seconds) {
      const until = clock.now() + seconds * 1000;
      await settle();
      while (hub.nextDue() <= until) {
        clock.advance(Math.max(0, hub.nextDue() - clock.now()));
        await settle();
      }
      clock.advance(until - clock.now());
    },
    async restart(code) {
      workflows = code ?? workflows;
      hub.use(await startProcess());
      current = newClient();
    },
    crashAt: (execution, when) => void crashes.set(execution, when),
    async close() {
      for (const one of clients) one.close();
      await http.close();
      store.close();
    },
  };
  return harness;
}
