/** On our own stand-in, so that every run of the tests has this driver too; moto's is asked in `dynamodb.aws.test.ts`. */
import { afterAll, beforeAll } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openDynamoDbState } from '../../../shared/state/dynamodb/state.ts';
import { type DynamoDbStandIn, startDynamoDb } from '../../stand-ins/dynamodb/server.ts';
import { stateConformance } from './conformance.ts';
import type { StateHarness } from './harness.ts';

const tables = Array.from({ length: 100 }, (_, index) => `state-${index}`);
let standIn: DynamoDbStandIn;
let used = 0;

beforeAll(async () => {
  standIn = await startDynamoDb({ tables });
});
afterAll(() => standIn?.close());

async function harness(): Promise<StateHarness> {
  const clock = manualClock();
  const table = tables[used++] ?? '';
  const connection = {
    region: 'eu-west-1',
    endpoint: standIn.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  return {
    open: async () => openDynamoDbState({ connection, table, clock, ids: systemIds }),
    pass: async (seconds) => clock.advance(seconds * 1000),
    crash: async () => {},
    close: async () => {},
  };
}

stateConformance('DynamoDB (our stand-in)', harness, 20);
