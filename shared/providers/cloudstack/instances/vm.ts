/** A virtual machine as far as we read it, from what CloudStack says of one. */
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { InstanceTags } from '../../contract.ts';
import { type Owned, ownedByDisplayName, ownedByTags, type Tags } from './ownership.ts';

export interface Vm {
  id: string;
  name: string;
  state: string;
  displayName?: string;
  /** Undefined: no deployment of Poolwright has it. */
  owned: Owned | undefined;
  /** Its tags say whose it is too. */
  tagged: boolean;
  tags: Tags;
  zoneId: string;
  zoneName: string;
  offeringId: string;
  offeringName: string;
  templateId: string;
  templateName: string;
  cpus?: number;
  memoryMiB?: number;
  /** In the order of the network interfaces. */
  networks: readonly { id: string; name: string }[];
  affinityGroups: readonly { id: string; name: string }[];
  createdAt: number;
  /** When its state changed last, where CloudStack says so. */
  changedAt?: number;
  /** When the lease of the VM ends, and what happens then. */
  leaseEndsAt?: number;
  leaseAction?: string;
}

/** One of ours, of whatever deployment. */
export type OwnedVm = Vm & { owned: Owned };

export const isOwned = (vm: Vm): vm is OwnedVm => vm.owned !== undefined;
export const ownerOf = (vm: Vm): InstanceTags | undefined => vm.owned?.owner;

/** It does not run any more and never will by itself; CloudStack keeps the object for a while. */
export const isGone = ({ state }: Pick<Vm, 'state'>): boolean => state === 'Destroyed' || state === 'Expunging';
export const isBroken = ({ state }: Pick<Vm, 'state'>): boolean => state === 'Error';
/** Right after a deploy it is `Stopped` for a moment, before its job starts it. */
export const isBefore = ({ state }: Pick<Vm, 'state'>): boolean => state === 'Starting' || state === 'Stopped';

/** Undefined: it is not what CloudStack says of a VM. */
export function readVm(seen: Json | undefined): Vm | undefined {
  if (!isObject(seen)) return undefined;
  const id = textIn(seen, 'id');
  const state = textIn(seen, 'state');
  if (id === undefined || state === undefined) return undefined;
  const tags = tagsIn(seen.tags);
  const displayName = textIn(seen, 'displayname');
  const byTags = ownedByTags(tags);
  const created = timeIn(seen, 'created');
  const changedAt = timeIn(seen, 'lastupdated');
  const leaseEndsAt = timeIn(seen, 'leaseexpirydate');
  const leaseAction = textIn(seen, 'leaseexpiryaction');
  const cpus = numberIn(seen, 'cpunumber');
  const memoryMiB = numberIn(seen, 'memory');
  return {
    id,
    name: textIn(seen, 'name') ?? id,
    state,
    ...(displayName === undefined ? {} : { displayName }),
    owned: byTags ?? ownedByDisplayName(displayName),
    tagged: byTags !== undefined,
    tags,
    zoneId: textIn(seen, 'zoneid') ?? '',
    zoneName: textIn(seen, 'zonename') ?? '',
    offeringId: textIn(seen, 'serviceofferingid') ?? '',
    offeringName: textIn(seen, 'serviceofferingname') ?? '',
    templateId: textIn(seen, 'templateid') ?? '',
    templateName: textIn(seen, 'templatename') ?? '',
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    networks: listIn(seen.nic).flatMap((nic) => {
      const networkId = textIn(nic, 'networkid');
      return networkId === undefined ? [] : [{ id: networkId, name: textIn(nic, 'networkname') ?? '' }];
    }),
    affinityGroups: listIn(seen.affinitygroup).flatMap((group) => {
      const groupId = textIn(group, 'id');
      return groupId === undefined ? [] : [{ id: groupId, name: textIn(group, 'name') ?? '' }];
    }),
    createdAt: created ?? 0,
    ...(changedAt === undefined ? {} : { changedAt }),
    ...(leaseEndsAt === undefined ? {} : { leaseEndsAt }),
    ...(leaseAction === undefined ? {} : { leaseAction }),
  };
}

const textIn = (object: JsonObject, key: string): string | undefined => {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const numberIn = (object: JsonObject, key: string): number | undefined => {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** `2026-11-18T20:09:45+0000`: without a colon in the offset, which not every reader takes. */
export function parseTime(text: string | undefined): number | undefined {
  const time = Date.parse(text?.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const timeIn = (object: JsonObject, key: string): number | undefined => parseTime(textIn(object, key));

const listIn = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => isObject(one)) : [];

const tagsIn = (value: Json | undefined): Tags =>
  Object.fromEntries(
    listIn(value).flatMap((tag) => {
      const key = textIn(tag, 'key');
      return key === undefined ? [] : [[key, textIn(tag, 'value') ?? '']];
    }),
  );

/** The same VM, with tags that were written a moment ago. */
export function withTags(vm: Vm, tags: Tags): Vm {
  const all = { ...vm.tags, ...tags };
  return { ...vm, tags: all, owned: ownedByTags(all) ?? vm.owned, tagged: true };
}
