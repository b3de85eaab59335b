import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openDynamoDbState } from '../../../shared/state/dynamodb/state.ts';
import { createStateTable } from '../../aws/state-table.ts';
import { useMoto } from '../../aws/use-stand-ins.ts';
import { stateConformance } from './conformance.ts';
import type { StateHarness } from './harness.ts';

const moto = useMoto();
let tables = 0;

/** Every harness has a table of its own. What our process loses when it dies is only its client. */
async function dynamoDbHarness(): Promise<StateHarness> {
  const clock = manualClock();
  const table = `state-${++tables}`;
  const connection = moto.connection();
  await createStateTable(connection, table);
  return {
    open: async () => openDynamoDbState({ connection, table, clock, ids: systemIds }),
    pass: async (seconds) => clock.advance(seconds * 1000),
    crash: async () => {},
    close: async () => {},
  };
}

// Each request takes moto some 10 ms: a few runs of the model must do here.
stateConformance('DynamoDB (moto)', dynamoDbHarness, 8);
