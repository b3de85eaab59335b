/** One snapshot of a virtual machine, as a durable orchestration. */
import { keepSnapshot } from '../../shared/machines/workflow/keep-snapshot.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const keepSnapshotOrchestrator = {
  name: 'keep-snapshot',
  trigger: { type: 'workflow' },
  subject: 'VMSnapshot',
  workflow: keepSnapshot,
} as const satisfies WorkflowFunction;
