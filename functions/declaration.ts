/**
 * How a function is declared: once, free of any cloud. A host binds a declaration to its platform: a queue trigger to
 * Service Bus, SQS or the local queue, a timer to a schedule, a workflow to its engine.
 */
import type { ClusterRequestServices } from '../shared/clusters/services.ts';
import type { MachineProviders } from '../shared/machines/runtime/services.ts';
import type { MachineServices } from '../shared/machines/services.ts';
import type { LifecycleServices } from '../shared/nodes/steps/services.ts';
import type { Handled, Queue } from '../shared/queue/contract.ts';
import type { Workflow } from '../shared/workflow/vocabulary.ts';

export interface FunctionServices extends LifecycleServices {
  /** Where every source puts its events. */
  readonly events: Queue;
  /** For requests for whole clusters; absent where this deployment carries none out. */
  readonly requests?: ClusterRequestServices | undefined;
  /** For Providers of virtual machines; loaded when they are first looked after. */
  machineProviders?(): Promise<MachineProviders>;
  /** For virtual machines; absent where this deployment has no cluster with them. */
  readonly machines?: MachineServices | undefined;
  /** Whether their pods are run in a cluster; known without loading anything. */
  runsProviders?(cluster: string): boolean;
}

/** What every broker tells about a message. */
export interface Delivery {
  readonly body: string;
  /** 1 at the first delivery. */
  readonly receiveCount: number;
}

export interface QueueFunction {
  readonly name: string;
  readonly trigger: { readonly type: 'queue'; readonly queue: 'events' | 'interruptions' };
  handle(services: FunctionServices, message: Delivery, signal: AbortSignal): Promise<Handled>;
}

/** Runs for one cluster at a time, so that one that does not answer holds up no other. */
export interface TimerFunction {
  readonly name: string;
  readonly trigger: { readonly type: 'timer'; readonly every: string };
  run(services: FunctionServices, cluster: string, signal: AbortSignal): Promise<void>;
}

export interface WorkflowFunction {
  readonly name: string;
  readonly trigger: { readonly type: 'workflow' };
  /** The kind of the objects that it is about, one workflow for each. */
  readonly subject: string;
  // Method syntax: every workflow has an input type of its own, which the host only carries.
  readonly workflow: Workflow<never, never> | Workflow;
}
