/** Every event that we know, by its type. A new event or version is a new file and a line here. */
import type * as z from 'zod/mini';
import { claimChanged } from './claim-changed.ts';
import { claimDeleted } from './claim-deleted.ts';
import { clusterRequestChanged } from './cluster-request-changed.ts';
import { instanceInterrupted } from './instance-interrupted.ts';
import { machineChanged } from './machine-changed.ts';
import { nodeChanged } from './node-changed.ts';
import { nodeClassChanged } from './node-class-changed.ts';
import { poolChanged } from './pool-changed.ts';

export const catalog = {
  [claimChanged.type]: claimChanged,
  [claimDeleted.type]: claimDeleted,
  [nodeChanged.type]: nodeChanged,
  [poolChanged.type]: poolChanged,
  [nodeClassChanged.type]: nodeClassChanged,
  [clusterRequestChanged.type]: clusterRequestChanged,
  [machineChanged.type]: machineChanged,
  [instanceInterrupted.type]: instanceInterrupted,
} as const;

export type EventType = keyof typeof catalog;

/** The event of one type, envelope included. */
export type EventOf<Type extends EventType> = z.infer<(typeof catalog)[Type]['schema']>;

/** The data of one type of event. */
export type DataOf<Type extends EventType> = EventOf<Type>['data'];

/** Any event that we understand; `event.type` tells which. */
export type PoolwrightEvent = { [Type in EventType]: EventOf<Type> }[EventType];

export const eventTypes = Object.keys(catalog) as readonly EventType[];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(catalog, type);
}
