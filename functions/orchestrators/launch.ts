/** The launch of a claim, as a durable orchestration. */
import { launch } from '../../shared/nodes/launch/launch.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const launchOrchestrator = {
  name: 'launch',
  trigger: { type: 'workflow' },
  subject: 'NodeClaim',
  workflow: launch,
} as const satisfies WorkflowFunction;
