/** Opens what virtual machines need, where the configuration has a cluster with them; else nothing of it is loaded. */
import { machinePlacesOf } from '../../../../shared/config/machine-places.ts';
import type { MachineParts, OpenMachines } from './machine-services.ts';

export async function openMachinesIfAny(parts: MachineParts): Promise<OpenMachines | undefined> {
  if (machinePlacesOf(parts.config).length === 0) return undefined;
  const { openMachines } = await import('./machine-services.ts');
  return openMachines(parts);
}
