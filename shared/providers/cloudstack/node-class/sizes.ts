/** The sizes in which a customised offering is used: those of the class that are within its limits. */
import type { ResolvedOffering } from './resolved.ts';
import type { CustomSize } from './schema-machine.ts';

export function sizesWithin(offering: ResolvedOffering, sizes: readonly CustomSize[]): CustomSize[] {
  const { minCpu = 1, maxCpu = Infinity, minMemory = 1, maxMemory = Infinity } = offering.limits ?? {};
  // With limits the speed is the offering's own; without, each machine says it.
  const speedIsOpen = offering.cpuSpeed === 0;
  return sizes.filter(
    ({ cpuNumber, memory, cpuSpeed }) =>
      cpuNumber >= minCpu &&
      cpuNumber <= maxCpu &&
      memory >= minMemory &&
      memory <= maxMemory &&
      (cpuSpeed === undefined ? !speedIsOpen : speedIsOpen),
  );
}
