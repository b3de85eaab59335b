/**
 * Servers of others may make a second machine of one name. Both are of one attempt, which needs one: the one that runs stays, or else the first,
 * and the others are deleted.
 */
import { ok, type Result } from '../../../base/result.ts';
import type { ListedMachine } from '../../../drivers/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import { named, type Servers } from '../servers/servers.ts';
import { type Machines, ownedBy } from './machines.ts';

type Scope = Pick<InstanceTags, 'deployment' | 'cluster'>;

export async function endDoubles(
  { servers, machines }: { servers: Servers; machines: Machines },
  scope: Scope,
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const server of servers.names) {
    const listed = await machines.listed(server, signal);
    if (!listed.ok) return named(server, listed.error);
    const driver = servers.driver(server);
    if (!driver.ok) return driver;
    for (const { id } of doublesIn(listed.value.filter((one) => ownedBy(scope, server, one) !== undefined))) {
      const begun = await driver.value.delete(id, signal);
      if (!begun.ok) return named(server, begun.error);
    }
  }
  return ok(undefined);
}

function doublesIn(machines: readonly ListedMachine[]): ListedMachine[] {
  const byName = new Map<string, ListedMachine[]>();
  for (const machine of machines) byName.set(machine.name, [...(byName.get(machine.name) ?? []), machine]);
  return [...byName.values()].flatMap((same) => {
    const sorted = same.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
    return sorted.slice(1);
  });
}

const rank = ({ power }: ListedMachine): number => (power === 'On' ? 0 : 1);
