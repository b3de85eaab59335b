/** The networks that a class selects, in each of its zones. */
import type { Network } from '../site/answers.ts';
import { type Found, missing, withNote } from './found.ts';
import type { ResolvedNetwork, ResolvedZone } from './resolved.ts';
import type { NetworkTerm } from './schema.ts';
import { resourceTag, select } from './terms.ts';

/** `zones`: those that have one; machines can be made in these. */
export interface FoundNetworks {
  networks: ResolvedNetwork[];
  zones: ResolvedZone[];
}

const usableStates: ReadonlySet<string> = new Set(['Allocated', 'Implemented', 'Implementing', 'Setup']);

export function findNetworks(
  terms: readonly NetworkTerm[],
  networks: readonly Network[],
  zones: readonly ResolvedZone[],
): Found<FoundNetworks> {
  const path = 'spec.networkSelectorTerms';
  const found: ResolvedNetwork[] = [];
  const good: ResolvedZone[] = [];
  const unusable: string[] = [];
  const absent: string[] = [];
  for (const zone of zones) {
    const here = networks.filter(({ zoneid }) => zoneid === zone.id);
    const { found: selected, empty } = select(terms, here, path, resourceTag);
    const usable = selected.filter(({ item }) => whyUnusable(item) === undefined);
    if (usable.length > 0) {
      good.push(zone);
      found.push(
        ...usable.map(({ item }) => ({ id: item.id, name: item.name, type: item.type ?? '', zoneId: zone.id })),
      );
    }
    if (selected.length === 0) absent.push(`no network of zone ${zone.name} matches ${empty.join(', or ')}`);
    for (const { item } of selected) {
      const why = whyUnusable(item);
      if (why !== undefined) unusable.push(`network ${item.name} of zone ${zone.name} ${why}`);
    }
  }
  if (good.length > 0) return withNote({ networks: found, zones: good }, [...unusable, ...absent]);
  if (unusable.length > 0) {
    return missing(
      'NetworkNotUsable',
      `${unusable.join('; ')}; select another network, or make it usable in CloudStack`,
    );
  }
  return missing('NetworksNotFound', absent.join('; '));
}

function whyUnusable({ canusefordeploy, state }: Network): string | undefined {
  if (canusefordeploy === false) return 'cannot be used to deploy instances';
  if (state !== undefined && !usableStates.has(state)) return `is in state ${state}`;
  return undefined;
}
