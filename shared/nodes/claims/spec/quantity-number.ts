/** A quantity as a number, for what needs no more than a double has: metrics. */
import type { Quantity } from './quantities.ts';

/** Cores of CPU, bytes of memory: the plain unit. */
export const toNumber = ({ nanos }: Quantity): number => Number(nanos) / 1e9;
