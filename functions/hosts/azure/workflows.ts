/**
 * The way to the workflow engine, which is the Durable extension of the host beside this worker. The host tells its address with
 * every invocation of a function that has a `durableClient` among its inputs; one client per address is kept.
 */
import { launch } from '../../../shared/lifecycle/launch.ts';
import { terminate } from '../../../shared/lifecycle/terminate.ts';
import type { Clock } from '../../../shared/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import { DurableWorkflowClient } from '../../../shared/workflow/durable-functions/client.ts';
import { readEndpoint } from '../../../shared/workflow/durable-functions/endpoint.ts';
import { currentInvocation } from './invocation.ts';

/** @returns What finds the client of the invocation on whose behalf it is called. */
export function workflowClients(state: State, clock: Clock): () => DurableWorkflowClient {
  const clients = new Map<string, DurableWorkflowClient>();
  return () => {
    const binding = currentInvocation()?.durableClient;
    const key = typeof binding === 'string' ? binding : JSON.stringify(binding ?? null);
    const known = clients.get(key);
    if (known) return known;
    const client = new DurableWorkflowClient({
      endpoint: readEndpoint(binding),
      records: state,
      workflows: [launch, terminate],
      clock,
    });
    clients.set(key, client);
    return client;
  };
}
