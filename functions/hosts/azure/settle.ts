/**
 * What becomes of a message that the host has received. The host completes it when the function returns, so most settlements
 * need no connection of ours. Service Bus can't hold back a message that is given back: a copy that appears later takes its place.
 */
import type { Handled, Message } from '../../../shared/queue/contract.ts';
import type { ServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';

/** When it throws, the host abandons the message, and it is delivered again at once. */
export async function settle(
  events: Pick<ServiceBusQueue, 'tryLater' | 'deadLetter'>,
  message: Message,
  handled: Handled,
): Promise<'done' | 'later' | { dead: string }> {
  if (handled === 'done') return 'done';
  if ('dead' in handled) return bury(events, message, handled.dead);
  const { retryAfterSeconds, reason } = handled;
  if (await events.tryLater(message, retryAfterSeconds, reason)) return 'later';
  return bury(events, message, `received ${message.receiveCount} times, last failure: ${reason}`);
}

/** By its lock. The host then finds it settled, says so in a warning, and goes on. */
async function bury(events: Pick<ServiceBusQueue, 'deadLetter'>, message: Message, reason: string) {
  await events.deadLetter(message, reason);
  return { dead: reason };
}
