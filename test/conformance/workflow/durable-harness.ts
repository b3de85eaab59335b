/**
 * The Durable Functions driver with the real library, on the stand-in for the host, with time moved by hand. The task
 * hub and the state outlive every process; a process is no more than what an app has in memory.
 */
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
import { type CloudHarness, type CloudSetup, cloudParts, onPlatform } from './cloud-harness.ts';

// The library looks for the host when it is loaded.
installFunctionsCore();
const functions = await import('@azure/functions');

export interface DurableHarness extends CloudHarness {
  readonly hub: TaskHub;
  readonly http: DurableHttp;
  /** Another one like the harness's own, as in another process. */
  newClient(): DurableWorkflowClient;
  /** Further faults, beside those of `crashAt`. */
  faults: DurableFaults;
}

export interface DurableSetup extends CloudSetup {
  /** False for an extension without the local interface. */
  rpc?: boolean;
  /** Activities whose function itself fails, as one without memory or out of time does. */
  broken?: readonly string[];
}

export async function makeDurableHarness(setup: DurableSetup): Promise<DurableHarness> {
  const { clock, state } = cloudParts(setup);
  const store = new HubStore(':memory:');
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
  const driven = onPlatform(
    {
      runDue: () => hub.runDue(),
      nextDue: () => hub.nextDue(),
      countRunning: () => store.countRunning(),
      workflows: () => workflows,
      current: () => current,
    },
    clock,
  );

  const harness: DurableHarness = {
    ...driven,
    hub,
    http,
    state,
    clock,
    newClient,
    faults: {},
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
