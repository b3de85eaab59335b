/** One step of a workflow, done by a provisioning function. The SDK of a provider is loaded by its first step. */
import type { InvocationContext } from '@azure/functions';
import type { ActivityName } from '../../../../shared/nodes/activities.ts';
import type { Activity } from '../../../../shared/workflow/contract.ts';
import { activityFunction } from '../../../../shared/workflow/durable-functions/names.ts';
import type { StepCall } from '../../../../shared/workflow/durable-functions/payloads.ts';
import { runActivity, runMailbox } from '../../../../shared/workflow/run-activity.ts';
import { provisioningActivities } from '../../../provisioners/provisioner.ts';
import { serve } from '../serve.ts';
import { type AzureWorker, MisconfiguredError } from '../worker.ts';

const bound = new WeakMap<AzureWorker, Record<string, Activity>>();

/** A step that its orchestration has routed to the function of a provider, or to the one for the rest. */
export const handleStep = (
  name: string,
  call: unknown,
  context: InvocationContext,
  durableClient: unknown,
): Promise<unknown> => {
  const { activity, ...payload } = call as StepCall;
  return run(activity, name, payload, context, durableClient);
};

/** A step of an orchestration that began when every step was a function of its own. */
export const handleActivity = (
  name: ActivityName,
  payload: unknown,
  context: InvocationContext,
  durableClient: unknown,
): Promise<unknown> => run(name, activityFunction(name), payload, context, durableClient);

const run = (
  name: string,
  functionName: string,
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
    const labels = { activity: name, outcome, function: functionName };
    metrics.stepDuration.observe(labels, (clock.now() - started) / 1000);
    if (!answer.ok) log.write('step.failed', { ...labels, ...workflowOf(payload), error: answer.error });
    // The history names the function; a person who looks at it wants to know the step.
    return { ...answer, activity: name };
  });

export const handleMailbox = (payload: unknown, context: InvocationContext): Promise<unknown> =>
  serve(context, undefined, async (opened) => {
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    return runMailbox(opened.worker.state, payload);
  });

function activitiesOf(worker: AzureWorker): Record<string, Activity> {
  const known = bound.get(worker);
  if (known) return known;
  const activities = provisioningActivities(worker.functions);
  bound.set(worker, activities);
  return activities;
}

function workflowOf(payload: unknown): { workflow?: unknown } {
  return typeof payload === 'object' && payload !== null && 'id' in payload ? { workflow: payload.id } : {};
}
