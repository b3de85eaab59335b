/** One turn of a workflow: replay its history, and say what comes next. No I/O, no configuration, no log. */

import { orchestrators } from '../../../../shared/workflow/durable-functions/orchestrator.ts';
import type { Workflow } from '../../../../shared/workflow/vocabulary.ts';
import { launchOrchestrator } from '../../../orchestrators/launch.ts';
import { terminateOrchestrator } from '../../../orchestrators/terminate.ts';
import { activityNames } from '../../common/activity-names.ts';

const functions = orchestrators({
  workflows: [launchOrchestrator.workflow, terminateOrchestrator.workflow] as Workflow[],
  activities: Object.fromEntries(activityNames.map((name) => [name, true])),
});

export function handleTurn(name: string, trigger: unknown, context: unknown): Promise<unknown> {
  const run = functions[name];
  if (!run) throw new Error(`there is no orchestrator ${name}`);
  return run(trigger, context);
}
