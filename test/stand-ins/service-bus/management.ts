/** The requests on a queue's `$management` node, as far as the client makes them for queues without sessions. */

import rhea, { type Message } from 'rhea';
import { defined } from '../../../shared/base/defined.ts';
import type { Entity, Settlement } from './entity.ts';
import { decoded, dueAtOf, outgoing } from './wire.ts';

export interface Answer {
  status: number;
  description: string;
  condition?: string;
  body?: unknown;
}

const ok = (body?: unknown): Answer => ({ status: 200, description: 'OK', ...defined({ body }) });
const lockLost: Answer = {
  status: 410,
  description: 'The lock supplied is invalid. Either the lock expired, or the message has already been removed.',
  condition: 'com.microsoft:message-lock-lost',
};

/** @param request Its body is a map, decoded; numbers of 64 bits come as numbers or as 8 bytes. */
export function manage(entity: Entity<Message>, request: Message): Answer {
  const body = (request.body ?? {}) as Record<string, unknown>;
  switch (request.application_properties?.operation) {
    case 'com.microsoft:peek-message': {
      const found = entity.peek(toNumber(body['from-sequence-number']), toNumber(body['message-count']));
      if (found.length === 0) return { status: 204, description: 'No messages' };
      const messages = found.map((stored) => ({
        message: rhea.message.encode(outgoing(stored, entity.isScheduled(stored) ? 'scheduled' : 'active')),
      }));
      return ok({ messages });
    }
    case 'com.microsoft:renew-lock': {
      const ends = tokensIn(body).map((token) => entity.renew(token));
      if (ends.includes(undefined)) return lockLost;
      return ok({ expirations: rhea.types.wrap_array(ends, 0x83, undefined) });
    }
    case 'com.microsoft:update-disposition': {
      const settlement = settlementOf(body);
      if (!settlement) return { status: 400, description: `unknown disposition ${String(body['disposition-status'])}` };
      return tokensIn(body).every((token) => entity.settle(token, settlement)) ? ok() : lockLost;
    }
    case 'com.microsoft:schedule-message': {
      const messages = body.messages as { message: Buffer }[];
      const numbers = messages.map(({ message }) => {
        const content = decoded(message);
        return entity.enqueue(content, dueAtOf(content));
      });
      return ok({ 'sequence-numbers': rhea.types.wrap_array(numbers, 0x81, undefined) });
    }
    case 'com.microsoft:cancel-scheduled-message': {
      const numbers = [body['sequence-numbers']].flat();
      if (numbers.every((one) => entity.cancel(toNumber(one)))) return ok();
      return { status: 404, description: 'not found', condition: 'com.microsoft:message-not-found' };
    }
    default:
      return { status: 501, description: `unknown operation ${String(request.application_properties?.operation)}` };
  }
}

function settlementOf(body: Record<string, unknown>): Settlement | undefined {
  const properties = (body['properties-to-modify'] ?? {}) as Record<string, unknown>;
  switch (body['disposition-status']) {
    case 'completed':
      return { as: 'completed' };
    case 'abandoned':
      return { as: 'abandoned', properties };
    case 'suspended':
      return {
        as: 'dead',
        reason: String(body['deadletter-reason'] ?? ''),
        description: String(body['deadletter-description'] ?? ''),
        properties,
      };
    default:
      return undefined;
  }
}

const tokensIn = (body: Record<string, unknown>): string[] =>
  [body['lock-tokens']].flat().map((token) => Buffer.from(token as Buffer).toString('hex'));

const toNumber = (value: unknown): number =>
  Buffer.isBuffer(value) ? Number(value.readBigInt64BE()) : Number(value ?? 0);
