/** Looks after Providers of virtual machines, on a timer: their pods, certificates, health and status. */
import type { TimerFunction } from '../declaration.ts';

export const machineProviders: TimerFunction = {
  name: 'machine-providers',
  trigger: { type: 'timer', every: 'machine-providers' },
  async run({ machineProviders: load, ownership }, cluster, signal) {
    if (!(await ownership.standing(cluster)).acts) return;
    const loaded = await load?.();
    const here = loaded?.place(cluster);
    if (loaded === undefined || here === undefined) return;
    // Most deployments have none.
    const { lookAfterProviders } = await import('../../shared/machines/runtime/look-after.ts');
    await lookAfterProviders(loaded.services, here, signal);
  },
};
