/** VM sizes and quotas: what a subscription may have in a location, against what a request needs there. Pure. */
import { writeOr } from '../../base/nearest.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { regionalCores, type Usages, type VmSize } from './azure-facts.ts';
import { type Check, likely, unlikely, warning } from './check.ts';
import { type Demand, demandOf } from './demand.ts';

const bySize = (sizes: readonly VmSize[]): ReadonlyMap<string, VmSize> =>
  new Map(sizes.map((size) => [size.name.toLowerCase(), size]));

export function judgeSizes(resolved: Resolved, sizes: readonly VmSize[]): Check[] {
  const { location, nodePool, nodes } = resolved;
  const known = bySize(sizes);
  const checks = demandOf(resolved).flatMap((demand): Check[] => {
    const size = known.get(demand.size.toLowerCase());
    // Node auto-provisioning chooses among a whole family, unless the request names sizes.
    const isOneOfMany = demand.what === 'node pool' && (!nodePool.exactSizes || nodePool.vmSizes.length > 1);
    const refuse = isOneOfMany ? warning : unlikely;
    const refused = (cause: string, fix: string): Check[] => [
      refuse('vm-sizes', 'VmSizeUnavailable', cause, fix, demand.field),
    ];
    if (size === undefined) {
      const listed = sizes.map(({ name }) => name);
      const fix = writeOr(demand.size, listed, 'use a size that it lists, or another location');
      return refused(`Azure does not list ${demand.size} in ${location}`, fix);
    }
    if (size.restricted !== undefined) {
      return refused(`${size.name} in ${location}: ${size.restricted}`, 'use another size or another location');
    }
    const closed = demand.zones.filter((zone) => !size.zones.includes(zone) || size.restrictedZones?.includes(zone));
    if (closed.length === 0) return [];
    const zones = size.zones.filter((zone) => !size.restrictedZones?.includes(zone));
    const fix = zones.length === 0 ? 'remove zones: it has none here' : `use zones ${zones.join(', ')}`;
    const text = `${size.name} is not offered to this subscription in zone ${closed.join(', ')} of ${location}`;
    return [refuse('vm-sizes', 'VmSizeUnavailable', text, fix, demand.field.replace(/\w+$/, 'zones'))];
  });
  if (checks.length > 0) return checks;
  const which = [...new Set(demandOf(resolved).map(({ size }) => size))].join(', ');
  const more = nodes === 'nap' && !nodePool.exactSizes ? ` and others of family ${nodePool.family}` : '';
  return [likely('vm-sizes', `${which}${more} are offered in ${location}`)];
}

interface Need {
  now: number;
  most: number;
  of: string[];
}

export function judgeQuota(resolved: Resolved, sizes: readonly VmSize[], usages: Usages): Check[] {
  const { location } = resolved;
  const needs = needsOf(demandOf(resolved), bySize(sizes));
  const checks = [...needs].flatMap(([name, { now, most, of }]): Check[] => {
    const [limit, used, title] = usages[name] ?? [-1, 0, name];
    // A quota that is not named limits nothing; a negative limit is none.
    if (limit < 0) return [];
    const free = Math.max(0, limit - used);
    const numbers = `of ${location} has ${free} vCPUs free (${used} of ${limit} in use)`;
    const fix = `request a higher quota (Azure portal, Quotas, Compute), or use fewer or smaller nodes, other sizes or another location`;
    if (now > free) {
      const cause = `the quota ${title} ${numbers}, and ${now} are needed for ${of.join(' and ')}`;
      return [unlikely('quota', 'VcpuQuotaTooSmall', cause, fix, 'spec.systemPool')];
    }
    if (most <= free) return [];
    const cause = `the quota ${title} ${numbers}: enough to create the cluster (${now}), but not for all that may come (${most}, with autoscaling and the extra nodes of an upgrade)`;
    return [warning('quota', 'VcpuQuotaTooSmall', cause, fix, 'spec.nodePool')];
  });
  if (checks.length > 0) return checks;
  const total = needs.get(regionalCores)?.now ?? 0;
  return [likely('quota', `the quotas of ${location} have room for the ${total} vCPUs that are needed at first`)];
}

/** Every size counts against its family's quota and against that of the location. */
function needsOf(demands: readonly Demand[], sizes: ReadonlyMap<string, VmSize>): Map<string, Need> {
  const needs = new Map<string, Need>();
  for (const { what, size: name, now, most } of demands) {
    const size = sizes.get(name.toLowerCase());
    if (size === undefined) continue;
    for (const quota of [size.family.toLowerCase(), regionalCores]) {
      const need = needs.get(quota) ?? { now: 0, most: 0, of: [] };
      need.now += now * size.quotaCores;
      need.most += most * size.quotaCores;
      if (now > 0) need.of.push(`${now} × ${size.name} (${what})`);
      needs.set(quota, need);
    }
  }
  return needs;
}
