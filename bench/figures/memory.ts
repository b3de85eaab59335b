/** Resident memory of the host process with 10,000 claims in flight, as the kernel counts it. */
import type { Figure } from '../figure.ts';
import { inFlight } from '../harness/in-flight.ts';

export const memory: Figure = {
  name: 'memory at 10,000 claims in flight',
  unit: 'MB',
  limit: 250,
  allowed: 'at most',
  measure: async (bench) => (await inFlight(bench)).memoryMegabytes,
};
