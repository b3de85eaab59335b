/** What a class resolved to, in the fields that Karpenter's own status has. */
import { fingerprint } from '../../../base/fingerprint.ts';
import type { Json } from '../../../base/json.ts';
import { labels } from '../../../nodes/claims/spec/well-known.ts';
import { awsLabels } from '../node-labels.ts';
import { isDeprecated } from './images.ts';
import type { ResolvedAmi, ResolvedEc2Class } from './resolved.ts';

type Fields = { [field: string]: Json };

export const statusOf = (resolved: ResolvedEc2Class, now: number): Fields => ({
  amis: resolved.amis.map((ami) => ({
    id: ami.id,
    name: ami.name,
    ...(isDeprecated(ami, now) ? { deprecated: true } : {}),
    requirements: requirementsOf(ami),
  })),
  // Free addresses change all the time: a status that showed them would be written all the time.
  subnets: resolved.subnets
    .map(({ id, zone, zoneId }) => ({ id, zone, ...(zoneId === '' ? {} : { zoneID: zoneId }) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1)),
  securityGroups: resolved.securityGroups.map(({ id, name }) => ({ id, ...(name === '' ? {} : { name }) })),
  capacityReservations: resolved.reservations.map((one) => ({
    id: one.id,
    instanceType: one.instanceType,
    availabilityZone: one.zone,
    instanceMatchCriteria: one.matchCriteria,
    ownerID: one.ownerId,
    reservationType: 'default',
    ...(one.endsAt === undefined ? {} : { endTime: new Date(one.endsAt).toISOString().replace('.000Z', 'Z') }),
  })),
  instanceProfile: resolved.instanceProfile.name,
});

function requirementsOf({ arch, variant }: ResolvedAmi): Json[] {
  const ofArch = { key: labels.arch, operator: 'In', values: [arch] };
  if (variant === undefined) return [ofArch];
  switch (variant) {
    case 'nvidia':
      return [ofArch, { key: awsLabels.gpuCount, operator: 'Exists' }];
    case 'neuron':
      return [ofArch, { key: awsLabels.acceleratorCount, operator: 'Exists' }];
    case 'standard':
      return [
        ofArch,
        { key: awsLabels.gpuCount, operator: 'DoesNotExist' },
        { key: awsLabels.acceleratorCount, operator: 'DoesNotExist' },
      ];
  }
}

/**
 * Changes when a machine made now would differ from one made before. Subnets and reservations only say where a machine may
 * be: a further one makes none of the others outdated. Images are told by themselves: a machine has one of them.
 */
export function hashOf({ spec, family, securityGroups, instanceProfile, placementGroup }: ResolvedEc2Class): string {
  const {
    amiSelectorTerms: _images,
    subnetSelectorTerms: _subnets,
    securityGroupSelectorTerms: _groups,
    capacityReservationSelectorTerms: _reservations,
    amiFamily: _family,
    role: _role,
    instanceProfile: _profile,
    ...rest
  } = spec;
  return fingerprint({
    rest,
    // Known from an alias or said in the class, it decides how user data is written.
    family,
    groups: securityGroups.map(({ id }) => id),
    profile: instanceProfile.name,
    placement: placementGroup?.id,
  });
}
