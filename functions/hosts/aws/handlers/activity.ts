/**
 * One step of a workflow, or a question of the HTTP function. What belongs to a provider is done by that provider's own function, and by
 * no other.
 */
import type { Context } from 'aws-lambda';
import type { Json } from '../../../../shared/base/json.ts';
import type { Result } from '../../../../shared/base/result.ts';
import { provisionerName } from '../../../../shared/providers/deployed.ts';
import type { Activity } from '../../../../shared/workflow/contract.ts';
import type { ActivityAnswer } from '../../../../shared/workflow/payloads.ts';
import { runActivity } from '../../../../shared/workflow/run-activity.ts';
import { stepsFunction } from '../../../catalog.ts';
import { provisioningActivities } from '../../../provisioners/provisioner.ts';
import { fieldOf } from '../../../provisioners/step-fields.ts';
import { questionsHere } from '../../../questions/provider-questions.ts';
import { questionNamed } from '../../../questions/questions.ts';
import { framed } from '../frame.ts';
import { type QuestionCall, readQuestionCall } from '../question-call.ts';
import { readStepCall } from '../step-call.ts';
import { timeLeftMs } from '../time-left.ts';
import { type AwsWorker, MisconfiguredError, type Scope } from '../worker.ts';

/** A step makes a few calls with limits of their own; this is for one that hangs all the same. */
const deadlineSeconds = 120;

const bound = new WeakMap<AwsWorker, Record<string, Activity>>();

type Answered = ActivityAnswer | Result<unknown>;

export const handleStep = activityHandler('all');

const provisioners = new Map<string, typeof handleStep>();

/** @param type The type of provider that this function acts for. */
export function handleActivity(type: string, event: unknown, context: Context): Promise<Answered> {
  const handler = provisioners.get(type) ?? activityHandler({ only: type });
  provisioners.set(type, handler);
  return handler(event, context);
}

function activityHandler(scope: Scope): (event: unknown, context: Context) => Promise<Answered> {
  return framed(scope, async (event: unknown, context) => {
    const { opened } = context;
    if (!opened.ok) throw new MisconfiguredError(opened.text);
    const { worker } = opened;
    const question = readQuestionCall(event);
    if (question !== undefined) return await answered(worker, scope, question);
    const { metrics, clock, log } = worker.functions;
    const { activity: name, payload } = readStepCall(event);
    refuseOthers(worker, scope, payload.input);
    const activity = activitiesOf(worker)[name];
    if (!activity) throw new Error(`there is no activity ${name}`);
    const started = clock.now();
    const limit = Math.min(deadlineSeconds, timeLeftMs(context) / 1000);
    const answer = await runActivity(name, activity, payload, { deadlineSeconds: limit });
    const outcome = answer.ok ? 'completed' : 'failed';
    metrics.stepDuration.observe({ activity: name, outcome, function: nameOf(scope) }, (clock.now() - started) / 1000);
    if (!answer.ok) log.write('step.failed', { activity: name, workflow: payload.id, error: answer.error });
    return answer;
  });
}

/** The function that runs, whatever the step names: one that began under an older version may not name its provider's type. */
const nameOf = (scope: Scope): string => (scope === 'all' ? stepsFunction : provisionerName(scope.only));

async function answered(worker: AwsWorker, scope: Scope, { question: name, input }: QuestionCall): Promise<Answered> {
  refuseOthers(worker, scope, input);
  const question = questionNamed(name);
  if (!question) throw new Error(`there is no question ${name}`);
  // Whoever asks has checked the input by the types of the question; it is JSON from there to here.
  return questionsHere(worker.functions).ask(question, input as never, new AbortController().signal);
}

/** Rights follow functions: what came to the wrong one would fail at the cloud at best. */
function refuseOthers({ settings }: AwsWorker, scope: Scope, input: Json): void {
  const provider = fieldOf(input, 'provider');
  const own = scope === 'all' ? undefined : scope.only;
  const type = provider === undefined ? undefined : settings.config.providers[provider]?.type;
  if (provider === undefined && own === undefined) return;
  if (provider !== undefined && own !== undefined && type === own) return;
  const whose = provider === undefined ? 'of no provider' : `of provider ${provider} (${type ?? 'not configured'})`;
  throw new Error(`this function runs the steps of ${own ?? 'no provider'}, but received a step ${whose}`);
}

function activitiesOf(worker: AwsWorker): Record<string, Activity> {
  const known = bound.get(worker);
  if (known) return known;
  const activities = provisioningActivities(worker.functions);
  bound.set(worker, activities);
  return activities;
}
