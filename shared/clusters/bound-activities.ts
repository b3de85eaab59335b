/** Every activity of cluster requests by its name, bound to the services it works with. */
import type { Json } from '../base/json.ts';
import type { Activity, ActivityContext } from '../workflow/contract.ts';
import { advanceStage } from './activities/advance.ts';
import { beginRequest } from './activities/begin.ts';
import { finishRequest } from './activities/finish.ts';
import { notifyRequest } from './activities/notify.ts';
import { beginRemoval, provisionStopped, releaseRequest, removeRequest } from './activities/removal.ts';
import type { ClusterRequestServices } from './services.ts';

type Maker<Input, Output> = (
  services: ClusterRequestServices,
) => (input: Input, context: ActivityContext) => Promise<Output>;

/** The workflows and the activities agree on shapes by `steps/answers.ts`; the engine in between sees JSON only. */
const bind =
  <Input, Output>(make: Maker<Input, Output>) =>
  (services: ClusterRequestServices): Activity => {
    const run = make(services);
    return async (input, context) => (await run(input as Input, context)) as Json;
  };

const makers = {
  beginRequest: bind(beginRequest),
  advanceStage: bind(advanceStage),
  finishRequest: bind(finishRequest),
  notifyRequest: bind(notifyRequest),
  beginRemoval: bind(beginRemoval),
  provisionStopped: bind(provisionStopped),
  removeRequest: bind(removeRequest),
  releaseRequest: bind(releaseRequest),
};

/** By their names, for who registers them without their code. */
export type RequestActivityName = keyof typeof makers;

export const requestActivities = (services: ClusterRequestServices): Record<string, Activity> =>
  Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make(services)]));
