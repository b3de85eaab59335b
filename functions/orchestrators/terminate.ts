/** The end of a claim, as a durable orchestration. */
import { terminate } from '../../shared/nodes/terminate/terminate.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const terminateOrchestrator = {
  name: 'terminate',
  trigger: { type: 'workflow' },
  subject: 'NodeClaim',
  workflow: terminate,
} as const satisfies WorkflowFunction;
