/** Every activity of virtual machines by its name, bound to the services it works with. */
import type { Json } from '../base/json.ts';
import type { Activity, ActivityContext } from '../workflow/contract.ts';
import { advanceMachine } from './activities/advance.ts';
import { advanceSnapshot } from './activities/snapshot.ts';
import type { MachineRef, MachineServices } from './services.ts';
import type { AdvanceResult } from './steps/answers.ts';

type Maker = (
  services: MachineServices,
) => (input: { ref: MachineRef }, context: ActivityContext) => Promise<AdvanceResult>;

const makers = { advanceMachine, advanceSnapshot } satisfies Record<string, Maker>;

/** By their names, for who registers them without their code. */
export type MachineActivityName = keyof typeof makers;

/** The workflows and the activities agree on shapes by `steps/answers.ts`; the engine in between sees JSON only. */
export const machineActivities = (services: MachineServices): Record<string, Activity> =>
  Object.fromEntries(
    Object.entries<Maker>(makers).map(([name, make]): [string, Activity] => {
      const run = make(services);
      return [name, async (input, context) => (await run(input as { ref: MachineRef }, context)) satisfies Json];
    }),
  );
