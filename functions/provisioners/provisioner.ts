/**
 * The provisioning functions: stateless, idempotent, the only place with I/O. There is one for each provider on every host
 * (`provision-aks`, `provision-ec2`, …), so that calls, failures and metrics are seen per provider, and one for the steps that
 * belong to none. On Lambda each has its own code, role and credentials; in a function app they share one process and one
 * identity, and the SDK of a provider is loaded by its first step; on one machine they are one process.
 */
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import type { Activity } from '../../shared/workflow/contract.ts';
import { machineActivityNames, requestActivityNames } from '../catalog.ts';
import type { FunctionServices } from '../declaration.ts';

/** All steps of all workflows, by name. */
export const provisioningActivities = (services: FunctionServices): Record<string, Activity> => ({
  ...lifecycleActivities(services),
  ...requestSteps(services),
  ...machineSteps(services),
});

/** Their code is loaded by the first that runs: most deployments make no clusters. */
const requestSteps = ({ requests }: FunctionServices): Record<string, Activity> =>
  loadedLater(requestActivityNames, async () => {
    if (requests === undefined) throw new Error('this deployment carries out no requests for clusters');
    const { requestActivities } = await import('../../shared/clusters/bound-activities.ts');
    return requestActivities(requests);
  });

const machineSteps = ({ machines }: FunctionServices): Record<string, Activity> =>
  loadedLater(machineActivityNames, async () => {
    if (machines === undefined) throw new Error('this deployment carries out no virtual machines');
    const { machineActivities } = await import('../../shared/machines/bound-activities.ts');
    return machineActivities(machines);
  });

function loadedLater(
  names: readonly string[],
  load: () => Promise<Readonly<Record<string, Activity>>>,
): Record<string, Activity> {
  let bound: ReturnType<typeof load> | undefined;
  const step =
    (name: string): Activity =>
    async (input, context) => {
      bound ??= load();
      const activity = (await bound)[name];
      if (activity === undefined) throw new Error(`there is no activity ${name}`);
      return await activity(input, context);
    };
  return Object.fromEntries(names.map((name) => [name, step(name)]));
}
