/** Every activity by its name, bound to the services it works with. A host registers them; workflows call them by name. */
import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import type { Activity, ActivityContext } from '../workflow/contract.ts';
import { discard, pollDiscard } from './discard/activities.ts';
import { advance } from './launch/activities/advance.ts';
import { beginCreate } from './launch/activities/begin-create/begin-create.ts';
import { choose } from './launch/activities/choose.ts';
import { close } from './launch/activities/close.ts';
import { fail } from './launch/activities/fail.ts';
import { findCreated, pollCreate } from './launch/activities/poll-create.ts';
import type { ClaimRef, LifecycleServices } from './steps/services.ts';
import { beginTerminate, launchStopped } from './terminate/activities/begin-terminate.ts';
import { drain } from './terminate/activities/drain.ts';
import { finish } from './terminate/activities/finish.ts';

type Maker<Input, Output> = (
  services: LifecycleServices,
) => (input: Input, context: ActivityContext) => Promise<Output>;

/** The workflows and the activities agree on shapes by `answers.ts`; the engine in between sees JSON only. */
const bind =
  <Input, Output>(make: Maker<Input, Output>) =>
  (services: LifecycleServices): Activity => {
    const run = make(services);
    return async (input, context) => (await run(input as Input, context)) as Json;
  };

/** Says of which type the provider is that an answer names: it decides whose function does the steps that follow. */
const typed =
  <Input extends { ref: ClaimRef }, Output extends object>(make: Maker<Input, Output>): Maker<Input, Output> =>
  (services) => {
    const run = make(services);
    return async (input, context) => {
      const answer = await run(input, context);
      if (!('provider' in answer)) return answer;
      const providerType = services.cluster(input.ref.cluster)?.providerTypes?.get(String(answer.provider));
      return { ...answer, ...defined({ providerType }) };
    };
  };

const makers = {
  choose: bind(typed(choose)),
  beginCreate: bind(beginCreate),
  pollCreate: bind(pollCreate),
  findCreated: bind(findCreated),
  advance: bind(advance),
  close: bind(close),
  discard: bind(discard),
  pollDiscard: bind(pollDiscard),
  fail: bind(fail),
  beginTerminate: bind(typed(beginTerminate)),
  launchStopped: bind(launchStopped),
  drain: bind(drain),
  finish: bind(finish),
};

/** By their names, for who registers them without their code. */
export type ActivityName = keyof typeof makers;

export const lifecycleActivities = (services: LifecycleServices): Record<string, Activity> =>
  Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make(services)]));
