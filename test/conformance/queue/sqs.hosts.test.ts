import { afterAll, beforeAll } from 'vitest';
import { type Fauxqs, startSqs } from '../../peers/fauxqs.ts';
import { queueConformance } from './conformance.ts';
import { sqsHarness } from './sqs-harness.ts';

let sqs: Fauxqs;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.close());

queueConformance('SQS (fauxqs)', () => sqsHarness(sqs), {
  exact: false,
  modelRuns: 0,
  tellsAge: false,
  countsAtOnce: false,
  takesAllCharacters: false,
  // Fair queues share by means of SQS's own, and its bounds are set where the queue is made.
  takesTurns: false,
  hasBounds: false,
});
