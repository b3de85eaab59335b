/** One virtual machine, as a durable orchestration. */
import { keepMachine } from '../../shared/machines/workflow/keep-machine.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const keepMachineOrchestrator = {
  name: 'keep-machine',
  trigger: { type: 'workflow' },
  subject: 'VirtualMachine',
  workflow: keepMachine,
} as const satisfies WorkflowFunction;
