/**
 * The way to the workflow engine, which is the Durable extension of the host beside this worker. The host tells its address with
 * every invocation of a function that has a `durableClient` among its inputs; one client per address is kept.
 */

import type { Clock } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import { DurableWorkflowClient } from '../../../shared/workflow/durable-functions/client.ts';
import { readEndpoint } from '../../../shared/workflow/durable-functions/endpoint.ts';
import { DurableInspection } from '../../../shared/workflow/durable-functions/inspection.ts';
import { workflows } from '../../orchestrators/workflows.ts';
import { currentInvocation } from './invocation.ts';

export interface AzureWorkflows {
  readonly client: DurableWorkflowClient;
  readonly inspection: DurableInspection;
}

/** @returns What finds the way of the invocation on whose behalf it is called. */
export function workflowClients(state: State, clock: Clock): () => AzureWorkflows {
  const known = new Map<string, AzureWorkflows>();
  return () => {
    const binding = currentInvocation()?.durableClient;
    const key = typeof binding === 'string' ? binding : JSON.stringify(binding ?? null);
    const found = known.get(key);
    if (found) return found;
    const endpoint = readEndpoint(binding);
    const made = {
      client: new DurableWorkflowClient({ endpoint, records: state, workflows, clock }),
      inspection: new DurableInspection(endpoint),
    };
    known.set(key, made);
    return made;
  };
}
