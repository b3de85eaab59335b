/**
 * The intake: CloudEvents come in and stand on the queue, durably, before the answer goes out. An event is a hint, so a
 * sender that got no answer just sends again.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { eventTypes } from '../../../../events/catalog.ts';
import { maxEventBytes } from '../../../../events/envelope.ts';
import type { ParsedEvent } from '../../../../events/parse.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import type { Caller } from '../../../../shared/identity/callers.ts';
import type { NoRoomError } from '../../../../shared/queue/contract.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { foreign } from '../../kit/authorization.ts';
import { jsonBody } from '../../kit/json-body.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems, type Rejection, rejectionSchema } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { acceptsEvents, batchType, receivedEvents, singleType } from './cloud-events.ts';
import { eventSchemaName } from './event-schemas.ts';
import { type AcceptedEvent, type Refused, storeEvents } from './store-events.ts';

const defaultMaxBytes = 1024 * 1024;
const retryAfterSeconds = '5';

const one = { oneOf: eventTypes.map((type) => ({ $ref: `#/components/schemas/${eventSchemaName(type)}` })) };
const several = { type: 'array' as const, items: one };

const route = (maxBytes: number) =>
  apiRoute({
    method: 'post',
    path: '/v1/events',
    access: 'cluster',
    operationId: 'sendEvents',
    summary: 'Send CloudEvents',
    description:
      'One event or a batch. Accepted events are stored on the queue before the response is sent. Rejected ones are listed with the reason.',
    middleware: jsonBody({
      maxBytes,
      schema: z.unknown(),
      accepts: acceptsEvents,
      accepted: `${singleType}, ${batchType} or application/json`,
    }),
    request: {
      body: {
        required: true,
        content: {
          [singleType]: { schema: one },
          [batchType]: { schema: several },
          'application/json': { schema: { oneOf: [one, several] } },
        },
      },
    },
    responses: {
      202: {
        description: 'At least one event was accepted, or the batch was empty.',
        content: jsonAnswer(() => z.object({ accepted: z.number().int(), rejected: z.array(rejectionSchema()) })),
      },
      ...problems(400, 401, 403, 413, 415, 429, 503),
    },
  });

export function addEvents(app: HttpApp, options: HttpOptions): void {
  const { services, maxReadyEvents, maxIntakeBytes = defaultMaxBytes } = options;
  app.openapi(route(maxIntakeBytes), async (c) => {
    const received = receivedEvents(c, c.get('json'));
    if ('refused' in received) {
      const { status, kind, detail } = received.refused;
      return problem(c, status, kind, detail);
    }
    const accepted: AcceptedEvent[] = [];
    const rejected: Rejection[] = [];
    let foreignEvents = 0;
    for (const [index, { value, checked }] of received.events.entries()) {
      const sorted = sortOut(services, c.get('caller'), value, checked);
      if ('body' in sorted) accepted.push({ index, ...sorted });
      else {
        if (sorted.isForeign) foreignEvents++;
        rejected.push({ index, ...usableId(value), reason: sorted.reason });
      }
    }
    if (accepted.length === 0) {
      if (rejected.length === 0) return c.json({ accepted: 0, rejected }, 202);
      const [first] = rejected;
      const reason = asSentence(first?.reason ?? '');
      const detail = rejected.length === 1 ? reason : `No event in the batch is valid; the first one: ${reason}`;
      if (foreignEvents === rejected.length) return problem(c, 403, 'foreign-cluster', detail, { rejected });
      return problem(c, 400, 'invalid-event', detail, { rejected });
    }
    try {
      const { ready } = maxReadyEvents === undefined ? { ready: 0 } : await services.events.stats();
      if (maxReadyEvents !== undefined && ready > maxReadyEvents) {
        const detail = `The queue is full: ${ready} events are waiting, more than ${maxReadyEvents}. Nothing was accepted; send again later.`;
        return problem(c, 429, 'queue-full', detail, {}, { 'retry-after': retryAfterSeconds });
      }
      const refused = await storeEvents(services.events, accepted);
      const [first] = refused;
      const left = refused.flatMap(({ events }) => events).length;
      if (first && left === accepted.length) return noRoom(c, first);
      for (const { events, error } of refused)
        for (const { index } of events)
          rejected.push({ index, ...usableId(received.events[index]?.value), reason: laterReason(error) });
      return c.json({ accepted: accepted.length - left, rejected }, 202);
    } catch (error) {
      services.log.write('http.failed', { method: 'POST', path: '/v1/events', error });
      const detail = 'The events could not be stored. Send all of them again: duplicate events are harmless.';
      return problem(c, 503, 'queue-unavailable', detail, {}, { 'retry-after': retryAfterSeconds });
    }
  });
}

const laterReason = ({ message }: NoRoomError): string =>
  `there is no room for it on the queue (${message}); send it again later`;

function noRoom(c: Context, { cluster, error }: Refused) {
  const headers = { 'retry-after': String(error.retryAfterSeconds ?? retryAfterSeconds) };
  if (error.what === 'disk') {
    const detail = `The host takes no events: ${error.message}. Nothing was accepted; free some space, or send again later.`;
    return problem(c, 503, 'disk-almost-full', detail, {}, headers);
  }
  const detail = `The share of cluster ${JSON.stringify(cluster)} on the queue is full: ${error.message}. Nothing was accepted; send again later.`;
  return problem(c, 429, 'queue-full', detail, {}, headers);
}

function sortOut(
  services: FunctionServices,
  caller: Caller,
  value: unknown,
  checked: ParsedEvent,
): { body: string; cluster: string } | { reason: string; isForeign?: boolean } {
  if (!checked.ok) return { reason: checked.reason };
  const { cluster } = checked.event.data;
  const named = clusterIn(checked.event.source);
  const isForeign = foreign(caller, cluster);
  if (isForeign) return { reason: isForeign, isForeign: true };
  if (named !== undefined && named !== cluster) {
    const reason = `its source names cluster ${JSON.stringify(named)}, but its data names cluster ${JSON.stringify(cluster)}`;
    return { reason, isForeign: true };
  }
  if (!services.cluster(cluster)) return { reason: unknownName('cluster', cluster, clusterNames(services)) };
  // What came in, not what was parsed: fields that we don't know travel on.
  const body = JSON.stringify(value);
  const bytes = Buffer.byteLength(body);
  return bytes <= maxEventBytes
    ? { body, cluster }
    : { reason: `the event has ${bytes} bytes; at most ${maxEventBytes} are allowed` };
}

/** Our own sources name their cluster; those of others may be called anything. */
const clusterIn = (source: string): string | undefined => /^\/(?:bridge|webhook)\/([^/]+)$/.exec(source)?.[1];

/** Only an id that a sender can find its event by. */
function usableId(value: unknown): { id?: string } {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return {};
  const id: unknown = Reflect.get(value, 'id');
  return typeof id === 'string' && id.length > 0 && id.length <= 256 ? { id } : {};
}
