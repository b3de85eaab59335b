/** What a class resolved to, in the fields of upstream's status and some of ours. */

import { defined } from '../../../base/defined.ts';
import { fingerprint } from '../../../base/fingerprint.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { withDefaults } from './admission.ts';
import type { ResolvedCloudStackClass } from './resolved.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';

type Fields = { [field: string]: Json };

/** @param typesOf The instance types that each offering becomes, by its id. */
export function statusOf(
  { zones, networks, offerings, templates }: ResolvedCloudStackClass,
  typesOf: ReadonlyMap<string, readonly string[]>,
): Fields {
  const zoneName = new Map(zones.map(({ id, name }) => [id, name]));
  return {
    networks: networks.map(({ id, name, zoneId, type }) => ({
      id,
      name,
      zone: zoneName.get(zoneId) ?? zoneId,
      ...defined({ type: type || undefined }),
    })),
    serviceOfferings: offerings
      .map(({ id, name, cpuNumber, memory, cpuSpeed, networkRate, capacityType, matchedBy }) => ({
        id,
        name,
        cpuNumber,
        memory,
        ...defined({ cpuSpeed: cpuSpeed || undefined, networkRate: networkRate || undefined }),
        instanceTypes: [...(typesOf.get(id) ?? [])],
        capacityType,
        matchedBy,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1)),
    templates: templates.map(({ id, name, zoneId, osType, arch, hypervisor }) => ({
      id,
      name,
      zone: zoneName.get(zoneId) ?? zoneId,
      ...defined({ osType: osType || undefined }),
      arch,
      ...defined({ hypervisor: hypervisor || undefined }),
    })),
    zones: zones.map(({ id, name, networkType }) => ({
      id,
      name,
      ...defined({ networkType: networkType || undefined }),
    })),
  };
}

/**
 * Changes when a machine made now would differ from one made before; a default that is written down is no change. Zones and offerings only say where a machine may be and how large:
 * a further one makes none of the others outdated. Templates are told by themselves: a machine has one of them.
 */
export function hashOf({
  spec,
  networks,
  volumes,
  securityGroupIds,
  affinityGroupIds,
}: ResolvedCloudStackClass): string {
  const {
    zone: _zone,
    zones: _zones,
    networkSelectorTerms: _networks,
    serviceOfferingSelectorTerms: _offerings,
    spotOfferingSelectorTerms: _spot,
    templateSelectorTerms: _templates,
    details: _sizes,
    diskOffering: _disk,
    dataVolumes: _volumes,
    securityGroups: _groups,
    affinity,
    ...rest
  } = withDefaults(spec as JsonObject) as CloudStackNodeClassSpec;
  return fingerprint({
    rest,
    perPool: affinity?.perPool,
    networks: networks.map(({ id, zoneId }) => `${zoneId}/${id}`),
    volumes,
    securityGroupIds,
    affinityGroupIds,
  });
}
