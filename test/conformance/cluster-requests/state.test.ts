/** Requests in the state port. */
import { describe } from 'vitest';
import { countingIds, systemClock } from '../../../shared/base/runtime.ts';
import { stateRequestStore } from '../../../shared/clusters/store/state.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { storeConformance } from './conformance.ts';

describe('requests in the state', () => {
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: systemClock });
  const store = stateRequestStore({ state, clock: systemClock, ids: countingIds('r') });
  const next = countingIds('team-');
  storeConformance(() => ({ store, namespace: async () => next.next() }));
});
