import { defined } from '../shared/base/defined.ts';
import type { DataOf, EventOf, EventType, PoolwrightEvent } from './catalog.ts';
import { maxEventBytes } from './envelope.ts';
import { checkEvent, rememberMade } from './parse.ts';

export interface EventAttributes {
  /** Fresh for each observation; the same again when the same observation is sent again. */
  id: string;
  /** Milliseconds since the epoch, from the injected clock. */
  time: number;
  /** A URI reference: `/watch/production`. */
  source: string;
  subject?: string;
}

/**
 * The body of a message: the event as text. It throws a RangeError when every reader would refuse it: the producer is the
 * one place where that can still be repaired.
 *
 * @example
 * eventBody('dev.poolwright.claim.deleted.v1', { cluster, name, uid, observedBy: 'resync' },
 *   { id: ids.next(), time: clock.now(), source: '/resync', subject: `${cluster}/${name}` });
 */
export const eventBody = <Type extends EventType>(
  type: Type,
  data: DataOf<Type>,
  attributes: EventAttributes,
): string => {
  const event = checkedEvent(type, data, attributes);
  const body = bodyOf(event);
  rememberMade(body, event);
  return body;
};

/** The same as an object, for examples and tests. */
export function makeEvent<Type extends EventType>(
  type: Type,
  data: DataOf<Type>,
  attributes: EventAttributes,
): EventOf<Type> {
  const event = checkedEvent(type, data, attributes);
  bodyOf(event);
  return event;
}

function checkedEvent<Type extends EventType>(
  type: Type,
  data: DataOf<Type>,
  attributes: EventAttributes,
): EventOf<Type> {
  const checked = checkEvent({
    specversion: '1.0',
    id: attributes.id,
    source: attributes.source,
    type,
    ...defined({ subject: attributes.subject }),
    time: new Date(attributes.time).toISOString(),
    datacontenttype: 'application/json',
    data,
  });
  if (!checked.ok) throw new RangeError(`can't make an event that readers would refuse: ${checked.reason}`);
  if (!isOfType(checked.event, type)) throw new RangeError(`can't make an event of type ${type}`);
  return checked.event;
}

function bodyOf(event: PoolwrightEvent): string {
  const body = JSON.stringify(event);
  const bytes = Buffer.byteLength(body);
  if (bytes <= maxEventBytes) return body;
  throw new RangeError(`can't make an event of ${bytes} bytes; at most ${maxEventBytes} are allowed`);
}

function isOfType<Type extends EventType>(event: PoolwrightEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}
