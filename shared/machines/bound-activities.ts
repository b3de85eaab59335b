/** Every activity of virtual machines by its name, bound to the services it works with. */
import type { Json } from '../base/json.ts';
import type { Activity } from '../workflow/contract.ts';
import { advanceMachine } from './activities/advance.ts';
import type { MachineRef, MachineServices } from './services.ts';

const makers = { advanceMachine };

/** By their names, for who registers them without their code. */
export type MachineActivityName = keyof typeof makers;

/** The workflow and the activity agree on shapes by `steps/answers.ts`; the engine in between sees JSON only. */
export const machineActivities = (services: MachineServices): Record<MachineActivityName, Activity> => {
  const advance = advanceMachine(services);
  return {
    advanceMachine: async (input, context) => (await advance(input as { ref: MachineRef }, context)) satisfies Json,
  };
};
