/** What is shown of a Kubernetes Event. Its message is never cut: it is what somebody wanted to say. */

import type { CoreV1Event } from '@kubernetes/client-node';
import type { Json } from '../../../shared/base/json.ts';
import type { LooselyStored } from '../../../shared/kube/stored.ts';
import type { Column } from '../../terminal/output/table.ts';
import { ageSince } from '../../terminal/output/values.ts';

/** core/v1 Event, as far as it is shown. */
export type StoredEvent = LooselyStored<CoreV1Event>;

export interface EventRow {
  id: string;
  type: string;
  reason: string;
  kind: string;
  name: string;
  message: string;
  count: number;
  first: string;
  last: string;
  deployment: string;
}

export function eventRow(event: StoredEvent): EventRow {
  const { metadata, involvedObject: about = {}, type = 'Normal', reason = '', message = '', count = 1 } = event;
  const last = event.lastTimestamp ?? metadata.creationTimestamp;
  return {
    id: `${metadata.namespace ?? ''}/${metadata.name}`,
    type,
    reason,
    kind: about.kind ?? '',
    name: about.name ?? '',
    message,
    count,
    first: event.firstTimestamp ?? last,
    last,
    deployment: event.reportingInstance ?? '',
  };
}

/** By the words that commands take: `claim/web-1`. */
const ownNames: Readonly<Record<string, string>> = {
  NodeClaim: 'claim',
  Node: 'node',
  NodePool: 'pool',
  Lease: 'lease',
};

export const objectText = ({ kind, name }: EventRow): string => `${ownNames[kind] ?? kind.toLowerCase()}/${name}`;

export const eventColumns = (now: () => number): Column<EventRow>[] => [
  { title: 'LAST SEEN', text: ({ last }) => ageSince(last, now()) },
  { title: 'FIRST SEEN', text: ({ first }) => ageSince(first, now()), wide: true },
  { title: 'COUNT', text: ({ count }) => String(count), wide: true },
  { title: 'TYPE', text: ({ type }) => type, style: ({ type }) => (type === 'Warning' ? 'yellow' : 'green') },
  { title: 'REASON', text: ({ reason }) => reason },
  { title: 'OBJECT', text: objectText },
  { title: 'DEPLOYMENT', text: ({ deployment }) => deployment, wide: true },
  { title: 'MESSAGE', text: ({ message }) => message },
];

export const eventData = ({ id, ...row }: EventRow): Json => ({
  event: id,
  type: row.type,
  reason: row.reason,
  object: { kind: row.kind, name: row.name },
  message: row.message,
  count: row.count,
  firstTime: row.first,
  lastTime: row.last,
  deployment: row.deployment,
});

/** Oldest first, so that the newest stands where the next prompt comes. */
export const byTime = (a: EventRow, b: EventRow): number =>
  a.last === b.last ? compare(a.id, b.id) : compare(a.last, b.last);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
