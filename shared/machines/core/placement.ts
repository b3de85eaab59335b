/** Where a machine is to run: what it says itself, what its policy demands and prefers, and what its provider has as default. */
import { defined } from '../../base/defined.ts';
import type { MachinePlacement } from '../../drivers/machine-spec.ts';
import type { VirtualMachine, VMPlacementPolicy } from './objects.ts';
import type { MachineProblem } from './problems.ts';

type Placement = NonNullable<VirtualMachine['spec']['placement']>;
type PlacementRules = NonNullable<VMPlacementPolicy['spec']['hard']>;

const places = ['cluster', 'datastore', 'host', 'folder', 'resourcePool'] as const;
type Place = (typeof places)[number];

/** How many machines of the same policy run at each host, cluster or datastore: the least used of the allowed ones is taken. */
export type UsedPlaces = { readonly [P in Place]?: ReadonlyMap<string, number> };

export type PlacementAnswer =
  | { ok: true; value: MachinePlacement | undefined }
  | { ok: false; problems: readonly MachineProblem[] };

export function resolvePlacement(
  own: Placement | undefined,
  policy: VMPlacementPolicy | undefined,
  defaults: Placement | undefined,
  used: UsedPlaces = {},
): PlacementAnswer {
  const problems: MachineProblem[] = [];
  const chosen: Partial<Record<Place, string>> = {};
  for (const place of places) {
    const hard = rulesFor(place, policy?.spec.hard);
    const soft = rulesFor(place, policy?.spec.soft);
    const asked = own?.[place];
    if (asked !== undefined) {
      if (!allows(hard, asked)) problems.push(refused(place, asked, policy));
      chosen[place] = asked;
      continue;
    }
    const most = place === 'host' ? mostPerHost(policy) : Number.POSITIVE_INFINITY;
    const free = hard.allowed?.filter((one) => allows(hard, one) && (used[place]?.get(one) ?? 0) < most);
    if (free?.length === 0) {
      problems.push(noneLeft(place, policy));
      continue;
    }
    const preferred = soft.allowed?.filter((one) => allows(soft, one) && (free?.includes(one) ?? allows(hard, one)));
    const usual = defaults?.[place];
    const pick =
      leastUsed(preferred?.length ? preferred : free, used[place]) ??
      (usual !== undefined && allows(hard, usual) ? usual : undefined);
    if (pick !== undefined) chosen[place] = pick;
  }
  if (problems.length > 0) return { ok: false, problems };
  const storagePod = own?.storagePod ?? (chosen.datastore === undefined ? defaults?.storagePod : undefined);
  const placement = { ...chosen, ...defined({ storagePod }) };
  return { ok: true, value: Object.keys(placement).length === 0 ? undefined : placement };
}

interface Rules {
  allowed: readonly string[] | undefined;
  excluded: readonly string[];
}

function rulesFor(place: Place, rules: PlacementRules = {}): Rules {
  const allowed = {
    cluster: rules.clusters,
    datastore: rules.datastores,
    host: rules.hosts,
    folder: rules.folders,
    resourcePool: rules.resourcePools,
  }[place];
  const excluded = { cluster: rules.excludedClusters, datastore: rules.excludedDatastores, host: rules.excludedHosts };
  const none = place === 'folder' || place === 'resourcePool' ? undefined : excluded[place];
  return { allowed: allowed?.length ? allowed : undefined, excluded: none ?? [] };
}

const allows = ({ allowed, excluded }: Rules, value: string): boolean =>
  (allowed?.includes(value) ?? true) && !excluded.includes(value);

/** A strict rule that machines of the policy keep apart. */
function mostPerHost(policy: VMPlacementPolicy | undefined): number {
  const rule = policy?.spec.antiAffinity?.hostAntiAffinity;
  if (rule?.enabled !== true || rule.scope === 'preferred') return Number.POSITIVE_INFINITY;
  return typeof rule.maxVMsPerHost === 'number' ? rule.maxVMsPerHost : 1;
}

function leastUsed(from: readonly string[] | undefined, used: ReadonlyMap<string, number> | undefined) {
  return from?.toSorted((one, other) => (used?.get(one) ?? 0) - (used?.get(other) ?? 0))[0];
}

const nameOf = (policy: VMPlacementPolicy | undefined): string => `VMPlacementPolicy ${policy?.metadata.name ?? ''}`;

const refused = (place: Place, value: string, policy: VMPlacementPolicy | undefined): MachineProblem => ({
  code: 'MachinePlacementImpossible',
  path: `spec.placement.${place}`,
  message: `${nameOf(policy)} does not allow ${value}; change one of the two`,
});

const noneLeft = (place: Place, policy: VMPlacementPolicy | undefined): MachineProblem => ({
  code: 'MachinePlacementImpossible',
  path: 'spec.placementRef',
  message: `${nameOf(policy)} leaves no ${place}: each is excluded, or has as many machines as the policy allows`,
});
