/** One turn of a workflow: replay its history, and say what comes next. No I/O, no configuration, no log. */

import { orchestrators } from '../../../../shared/workflow/durable-functions/orchestrator.ts';
import { activityNames } from '../../../catalog.ts';
import { workflows } from '../../../orchestrators/workflows.ts';
import { deployedFunctionFor } from '../../../provisioners/step-fields.ts';

const functions = orchestrators({
  workflows,
  activities: Object.fromEntries(activityNames.map((name) => [name, true])),
  functionFor: deployedFunctionFor,
});

export function handleTurn(name: string, trigger: unknown, context: unknown): Promise<unknown> {
  const run = functions[name];
  if (!run) throw new Error(`there is no orchestrator ${name}`);
  return run(trigger, context);
}
