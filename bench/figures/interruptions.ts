/**
 * What the watcher adds to a queue: messages about machines, each of a claim that is found and marked for its end, against the
 * same messages only received and deleted. Both by the same receivers, ten at a time, and both settled in batches.
 */
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import { receiveFromSqs, type SqsReceiverOptions } from '../../shared/queue/sqs/receiver.ts';
import type { Figure } from '../figure.ts';
import { type InterruptionStage, interruptionStage } from '../harness/interruptions.ts';

/** Both take turns, in slices: what else happens on the machine then hits both alike. */
const slices = 5;

export const interruptions: Figure = {
  name: 'interruptions: claims marked per second ÷ messages only received and deleted per second',
  unit: '',
  limit: 0.6,
  allowed: 'at least',
  measure: async ({ sizes, say }) => {
    const inSlice = Math.ceil(sizes.many / 2 / slices);
    const stage = await interruptionStage();
    try {
      // One slice more, which warms both up and does not count.
      const instances = await stage.makeClaims(inSlice * (slices + 1));
      const seconds = { ours: 0, bare: 0 };
      for (let slice = 0; slice <= slices; slice++) {
        const some = instances.slice(slice * inSlice, (slice + 1) * inSlice);
        const taken = await takeTurns(stage, String(slice), some);
        if (slice === 0) continue;
        seconds.ours += taken.ours;
        seconds.bare += taken.bare;
      }
      const marked = await stage.marked();
      if (marked !== instances.length) throw new Error(`${marked} of ${instances.length} claims were marked`);
      const count = inSlice * slices;
      const perSecond = (time: number): string => `${Math.round(count / time)} a second`;
      say(`${count} claims marked: ${perSecond(seconds.ours)}; only received: ${perSecond(seconds.bare)}`);
      return seconds.bare / seconds.ours;
    } finally {
      await stage.close();
    }
  },
};

async function takeTurns(
  { connection, services, fillQueue }: InterruptionStage,
  slice: string,
  instances: readonly string[],
): Promise<{ ours: number; bare: number }> {
  const bare = await drain(
    connection,
    await fillQueue(`bare-${slice}`, instances),
    instances.length,
    async () => 'done',
  );
  const ours = await drain(
    connection,
    await fillQueue(`ours-${slice}`, instances),
    instances.length,
    (message, signal) => interruptionWatcher.handle(services, message, signal),
  );
  return { ours, bare };
}

/** Seconds from the first receive until the last message is settled. */
async function drain(
  connection: SqsReceiverOptions['connection'],
  queue: string,
  count: number,
  handle: SqsReceiverOptions['handle'],
): Promise<number> {
  const { promise: all, resolve: over } = Promise.withResolvers<void>();
  let handled = 0;
  const began = performance.now();
  const receiver = receiveFromSqs({
    connection,
    queue,
    handle: async (message, signal) => {
      const outcome = await handle(message, signal);
      if (++handled === count) over();
      return outcome;
    },
  });
  await all;
  await receiver.stop();
  return (performance.now() - began) / 1000;
}
