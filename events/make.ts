import { defined } from '../shared/base/defined.ts';
import type { DataOf, EventOf, EventType, PoolwrightEvent } from './catalogue.ts';
import { maxEventBytes } from './envelope.ts';
import { checkEvent } from './parse.ts';

export interface EventAttributes {
  /** Fresh for each observation; the same again when the same observation is sent again. */
  id: string;
  /** Milliseconds since the epoch, from the injected clock. */
  time: number;
  /** A URI reference: `/bridge/production`. */
  source: string;
  subject?: string;
}

/**
 * An event, ready for JSON.stringify. It throws a RangeError when every reader would refuse it: the producer is the
 * one place where that can still be repaired.
 *
 * @example
 * makeEvent('dev.poolwright.claim.deleted.v1', { cluster, name, uid, observedBy: 'resync' },
 *   { id: ids.next(), time: clock.now(), source: '/resync', subject: `${cluster}/${name}` });
 */
export function makeEvent<Type extends EventType>(
  type: Type,
  data: DataOf<Type>,
  attributes: EventAttributes,
): EventOf<Type> {
  const event = {
    specversion: '1.0',
    id: attributes.id,
    source: attributes.source,
    type,
    ...defined({ subject: attributes.subject }),
    time: new Date(attributes.time).toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  const checked = checkEvent(event);
  if (!checked.ok) throw new RangeError(`can't make an event that readers would refuse: ${checked.reason}`);
  if (!isOfType(checked.event, type)) throw new RangeError(`can't make an event of type ${type}`);
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes > maxEventBytes) {
    throw new RangeError(`can't make an event of ${bytes} bytes; at most ${maxEventBytes} are allowed`);
  }
  return checked.event;
}

function isOfType<Type extends EventType>(event: PoolwrightEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}
