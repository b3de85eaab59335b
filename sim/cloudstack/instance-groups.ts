/** Instance groups: a name that people give several VMs. A deploy or an update that names one makes it; nothing but a call deletes it. */
import type { Owner } from './site/types.ts';
import { type CloudStackWorld, sameOwner } from './world.ts';

export interface InstanceGroup {
  readonly id: string;
  readonly name: string;
  readonly owner: Owner;
  readonly created: number;
}

export function instanceGroup(
  name: string | undefined,
  owner: Owner,
  world: CloudStackWorld,
): InstanceGroup | undefined {
  if (name === undefined) return undefined;
  const known = [...world.instanceGroups.values()].find((one) => one.name === name && sameOwner(one.owner, owner));
  if (known !== undefined) return known;
  const made = { id: world.nextId('instance-group'), name, owner, created: world.now };
  world.instanceGroups.set(made.id, made);
  return made;
}
