/** Every activity by its name, bound to the services it works with. A host registers them; workflows call them by name. */
import type { Json } from '../base/json.ts';
import type { Activity, ActivityContext } from '../workflow/contract.ts';
import { advance } from './activities/advance.ts';
import { beginCreate } from './activities/begin-create.ts';
import { beginTerminate, launchStopped } from './activities/begin-terminate.ts';
import { choose } from './activities/choose.ts';
import { close } from './activities/close.ts';
import { discard, pollDiscard } from './activities/discard.ts';
import { drain } from './activities/drain.ts';
import { fail } from './activities/fail.ts';
import { finish } from './activities/finish.ts';
import { findCreated, pollCreate } from './activities/poll-create.ts';
import type { LifecycleServices } from './services.ts';

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
