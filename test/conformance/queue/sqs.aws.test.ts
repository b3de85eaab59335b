import type { Clock } from '../../../shared/base/runtime.ts';
import { useMoto } from '../../aws/use-stand-ins.ts';
import { queueConformance } from './conformance.ts';
import { sqsHarness } from './sqs-harness.ts';

const moto = useMoto();
/** Moved on together with moto's. */
let passed = 0;
const clock: Clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };

const pass = async (seconds: number): Promise<void> => {
  passed += seconds * 1000;
  await moto.get().pass(seconds);
};

queueConformance('SQS (moto)', () => sqsHarness({ connection: moto.connection(), clock, pass }), {
  exact: false,
  modelRuns: 0,
  tellsAge: false,
  // Moto looks and marks in two steps, on as many threads as there are requests.
  givesToOne: false,
  // Fair queues share by means of SQS's own, and its bounds are set where the queue is made.
  takesTurns: false,
  hasBounds: false,
});
