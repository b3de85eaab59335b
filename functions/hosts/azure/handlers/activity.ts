/** One step of a workflow: the provisioning function. Which provider it takes, and whose SDK it loads, is up to the claim. */
import type { InvocationContext } from '@azure/functions';
import type { Activity } from '../../../../shared/workflow/contract.ts';
import { runActivity, runMailbox } from '../../../../shared/workflow/run-activity.ts';
import { provisionerFor } from '../../../provisioners/provisioner.ts';
import type { ActivityName } from '../../common/activity-names.ts';
import { serve } from '../serve.ts';
import { type AzureWorker, MisconfiguredError } from '../worker.ts';

const bound = new WeakMap<AzureWorker, Record<string, Activity>>();

export const handleActivity = (
  name: ActivityName,
  payload: unknown,
  context: InvocationContext,
  durableClient: unknown,
): Promise<unknown> =>
  serve(context, durableClient, async (opened) => {
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    const { metrics, clock, log } = opened.worker.functions;
    const activity = activitiesOf(opened.worker)[name];
    if (!activity) throw new Error(`there is no activity ${name}`);
    const started = clock.now();
    const answer = await runActivity(name, activity, payload);
    const outcome = answer.ok ? 'completed' : 'failed';
    metrics.stepDuration.observe({ activity: name, outcome }, (clock.now() - started) / 1000);
    if (!answer.ok) log.write('step.failed', { activity: name, ...workflowOf(payload), error: answer.error });
    return answer;
  });

export const handleMailbox = (payload: unknown, context: InvocationContext): Promise<unknown> =>
  serve(context, undefined, async (opened) => {
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    return runMailbox(opened.worker.state, payload);
  });

function activitiesOf(worker: AzureWorker): Record<string, Activity> {
  const known = bound.get(worker);
  if (known) return known;
  const activities = provisionerFor('all').activities(worker.functions);
  bound.set(worker, activities);
  return activities;
}

function workflowOf(payload: unknown): { workflow?: unknown } {
  return typeof payload === 'object' && payload !== null && 'id' in payload ? { workflow: payload.id } : {};
}
