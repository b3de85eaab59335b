import { afterAll, beforeAll } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openTablesState } from '../../../shared/state/tables/state.ts';
import { type Azurite, startAzuriteTables } from '../../peers/azurite.ts';
import { stateConformance } from './conformance.ts';
import type { StateHarness } from './harness.ts';

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzuriteTables();
});
afterAll(() => azurite.close());

let tables = 0;

/** Every harness has a table of its own. What our process loses when it dies is only its client. */
async function tablesHarness(): Promise<StateHarness> {
  const clock = manualClock();
  const table = `state${++tables}`;
  const connection = { connectionString: azurite.connectionString };
  return {
    open: async () => openTablesState({ connection, table, clock, ids: systemIds }),
    pass: async (seconds) => clock.advance(seconds * 1000),
    crash: async () => {},
    close: async () => {},
  };
}

stateConformance('Table storage (Azurite)', tablesHarness, 40);
