/** Every workflow, for the engines. A new one gets a line here. */
import type { Workflow } from '../../shared/workflow/vocabulary.ts';
import type { WorkflowFunction } from '../declaration.ts';
import { deleteClusterOrchestrator } from './delete-cluster.ts';
import { keepMachineOrchestrator } from './keep-machine.ts';
import { keepSnapshotOrchestrator } from './keep-snapshot.ts';
import { launchOrchestrator } from './launch.ts';
import { provisionClusterOrchestrator } from './provision-cluster.ts';
import { terminateOrchestrator } from './terminate.ts';

export const orchestrators: readonly WorkflowFunction[] = [
  launchOrchestrator,
  terminateOrchestrator,
  provisionClusterOrchestrator,
  deleteClusterOrchestrator,
  keepMachineOrchestrator,
  keepSnapshotOrchestrator,
];

/** Each has an input of its own, which engines only carry. */
export const workflows = orchestrators.map(({ workflow }) => workflow as Workflow);

/** The workflows of subjects of one kind, such as a NodeClaim. */
export const workflowsOf = (subject: WorkflowFunction['subject']): string[] =>
  orchestrators.filter((one) => one.subject === subject).map(({ workflow }) => workflow.name);
