/** Resident memory of the host process with 100,000 claims in flight, and whether every one of them still makes progress. */
import type { Figure } from '../figure.ts';
import { crowd } from '../harness/crowd.ts';

export const crowdMemory: Figure = {
  name: 'memory at 100,000 claims in flight',
  unit: 'MB',
  limit: 1200,
  allowed: 'at most',
  takesLong: true,
  measure: async (bench) => (await crowd(bench)).memoryMegabytes,
};

export const crowdProgress: Figure = {
  name: 'share of 100,000 claims in flight that go on',
  unit: '',
  limit: 1,
  allowed: 'at least',
  takesLong: true,
  measure: async (bench) => (await crowd(bench)).wentOn,
};
