/** What travels between the broker and `@azure/service-bus`: annotations, lock tokens, batches. */
import rhea, { type Message } from 'rhea';
import type { Stored } from './entity.ts';

const batchFormat = 0x80013700;

/** The messages in one transfer. A batch is one AMQP message whose every data section is an encoded message. */
export function messagesIn(message: Message | Buffer, format: number | undefined): Message[] {
  const whole = Buffer.isBuffer(message) ? decoded(message) : message;
  const content = format === batchFormat ? [whole.body.content as Buffer | Buffer[]].flat() : undefined;
  // A message without an id gets one: the client settles nothing that has none.
  return (content?.map(decoded) ?? [whole]).map((one) => ({
    ...one,
    message_id: one.message_id ?? rhea.generate_uuid(),
  }));
}

/** The library has two types of one name for it. */
export const decoded = (encoded: Buffer): Message => ({ body: undefined, ...rhea.message.decode(encoded) });

/** When the sender wants it to appear; 0 for at once. */
export function dueAtOf(message: Message): number {
  const at: unknown = message.message_annotations?.['x-opt-scheduled-enqueue-time'];
  return at === undefined || at === null ? 0 : Number(at);
}

/** As a receiver gets it, or somebody who peeks. */
export function outgoing(stored: Stored<Message>, state: 'active' | 'scheduled'): Message {
  const { sequence, enqueuedAt, lock, deliveries, content } = stored;
  return {
    ...content,
    // Counts the deliveries before this one.
    delivery_count: lock ? deliveries - 1 : deliveries,
    message_annotations: {
      ...content.message_annotations,
      'x-opt-sequence-number': rhea.types.wrap_long(sequence),
      'x-opt-enqueued-time': rhea.types.wrap_timestamp(enqueuedAt),
      ...(lock ? { 'x-opt-locked-until': rhea.types.wrap_timestamp(lock.until) } : {}),
      ...(state === 'scheduled' ? { 'x-opt-message-state': rhea.types.wrap_int(2) } : {}),
    },
  };
}

/** A delivery's tag is its lock token in the order in which .NET writes the bytes of a GUID. */
export function tagOf(token: string): Buffer {
  return reordered(Buffer.from(token, 'hex'));
}

export const tokenOf = (tag: Buffer | string): string => reordered(Buffer.from(tag)).toString('hex');

function reordered(bytes: Buffer): Buffer {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return Buffer.from(order.map((index) => bytes[index] ?? 0));
}
