/** Looks after virtual machines, on a timer: what events have missed, what changed at the hypervisor, and what is to be adopted. */
import type { TimerFunction } from '../declaration.ts';

export const virtualMachines: TimerFunction = {
  name: 'virtual-machines',
  trigger: { type: 'timer', every: 'virtual-machines' },
  async run({ machines, ownership }, placeName, signal) {
    const place = machines?.place(placeName);
    if (machines === undefined || place === undefined) return;
    if (!(await ownership.standing(placeName)).acts) return;
    // Most deployments have no virtual machines.
    const { lookAfterMachines } = await import('../../shared/machines/upkeep/look-after.ts');
    await lookAfterMachines(machines, place, signal);
  },
};
