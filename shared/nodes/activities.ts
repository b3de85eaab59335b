/** Every activity by its name, bound to the services it works with. A host registers them; workflows call them by name. */
import type { Json } from '../base/json.ts';
import type { Activity, ActivityContext } from '../workflow/contract.ts';
import { discard, pollDiscard } from './discard/activities.ts';
import { advance } from './launch/activities/advance.ts';
import { beginCreate } from './launch/activities/begin-create.ts';
import { choose } from './launch/activities/choose.ts';
import { close } from './launch/activities/close.ts';
import { fail } from './launch/activities/fail.ts';
import { findCreated, pollCreate } from './launch/activities/poll-create.ts';
import type { LifecycleServices } from './steps/services.ts';
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

const makers = {
  choose: bind(choose),
  beginCreate: bind(beginCreate),
  pollCreate: bind(pollCreate),
  findCreated: bind(findCreated),
  advance: bind(advance),
  close: bind(close),
  discard: bind(discard),
  pollDiscard: bind(pollDiscard),
  fail: bind(fail),
  beginTerminate: bind(beginTerminate),
  launchStopped: bind(launchStopped),
  drain: bind(drain),
  finish: bind(finish),
};

export const lifecycleActivities = (services: LifecycleServices): Record<string, Activity> =>
  Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make(services)]));
