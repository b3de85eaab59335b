/** Which machines a VMSet lacks, and which are too many. Pure: names are ordinals, so two who decide at once decide the same. */
import type { VirtualMachine, VMSet } from './objects.ts';

export interface SetPlan {
  /** Names of machines to be created. */
  create: readonly string[];
  remove: readonly VirtualMachine[];
}

export const ownedBySet = ({ metadata }: VirtualMachine, set: Pick<VMSet, 'metadata'>): boolean =>
  metadata.ownerReferences?.some(({ uid, controller }) => uid === set.metadata.uid && controller === true) ?? false;

/** The uid and name of the VMSet that has made a machine. */
export const setOf = ({ metadata }: VirtualMachine): { uid: string; name: string } | undefined =>
  metadata.ownerReferences?.find(({ kind, controller }) => kind === 'VMSet' && controller === true);

/** @param machines Every one of the namespace, also those that are being deleted: their names are not free. */
export function planSet(set: VMSet, machines: readonly VirtualMachine[]): SetPlan {
  const { replicas = 1, ordinals } = set.spec;
  const living = machines.filter((one) => ownedBySet(one, set) && one.metadata.deletionTimestamp === undefined);
  const taken = new Set(machines.map(({ metadata }) => metadata.name));
  const create: string[] = [];
  for (let ordinal = ordinals?.start ?? 0; living.length + create.length < replicas; ordinal++) {
    const name = `${set.metadata.name}-${ordinal}`;
    if (!taken.has(name)) create.push(name);
  }
  const newest = living.toSorted((one, other) => ordinalOf(other, set) - ordinalOf(one, set));
  return { create, remove: newest.slice(0, Math.max(0, living.length - replicas)) };
}

const ordinalOf = ({ metadata }: VirtualMachine, set: VMSet): number =>
  Number(metadata.name.slice(set.metadata.name.length + 1)) || 0;
