/** From the start of a host whose predecessor was killed with 10,000 claims in flight until every one of them has gone on. */
import type { Figure } from '../figure.ts';
import { inFlight } from '../harness/in-flight.ts';

export const restart: Figure = {
  name: 'restart with 10,000 claims in flight',
  unit: 's',
  limit: 15,
  allowed: 'at most',
  measure: async (bench) => (await inFlight(bench)).restartSeconds,
};
