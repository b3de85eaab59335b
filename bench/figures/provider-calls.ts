/** Calls to the cloud in one claim's life without faults, as the cloud receives them; shared ones, such as lists, included. */
import type { Figure } from '../figure.ts';
import { oneLife } from '../harness/one-life.ts';

export const providerCalls: Figure = {
  name: "provider calls in a claim's life without faults",
  unit: '',
  limit: 6,
  allowed: 'at most',
  measure: async (bench) => (await oneLife(bench)).providerCalls,
};
