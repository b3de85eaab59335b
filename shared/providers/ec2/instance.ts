/** From what EC2 says about an instance to what the contract calls one. */

import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { defined } from '../../base/defined.ts';
import type { OfferingRef } from '../../nodes/claims/choice/offerings.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { Instance, InstanceTags } from '../contract.ts';
import type { Shape } from '../shape-store.ts';
import { toHandle } from './handle.ts';
import { awsLabels } from './node-labels.ts';
import { ec2Tags, fromSdkTags, ownerIn, type Tags } from './tags.ts';

/** An instance as far as we read it. */
export interface Machine {
  id: string;
  state: MachineState;
  owner: InstanceTags | undefined;
  tags: Tags;
  offering: OfferingRef;
  launchedAt: number;
  imageId?: string;
  nodeName?: string;
  /** The same in every account, unlike the zone's name. */
  zoneId?: string;
  /** Why it is in this state, as far as EC2 says: `Server.SpotInstanceTermination`. */
  why?: string;
}

/** One of ours, of whatever deployment. */
export type OwnedMachine = Machine & { owner: InstanceTags };

export const isOwned = (machine: Machine): machine is OwnedMachine => machine.owner !== undefined;

export type MachineState = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

const states: ReadonlySet<string> = new Set([
  'pending',
  'running',
  'stopping',
  'stopped',
  'shutting-down',
  'terminated',
]);
const isState = (text: string | undefined): text is MachineState => text !== undefined && states.has(text);

/** All but those that are over: what is stopped still has its disks, and its claim. */
export const livingStates = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const;

/** Undefined: it is not what EC2 says of an instance. */
export function readMachine(seen: Ec2Instance): Machine | undefined {
  const { InstanceId: id, InstanceType: type, Placement: placement, LaunchTime: launched, State: state } = seen;
  if (id === undefined || type === undefined || !isState(state?.Name)) return undefined;
  const tags = fromSdkTags(seen.Tags);
  return {
    id,
    state: state.Name,
    owner: ownerIn(tags),
    tags,
    offering: { instanceType: type, zone: placement?.AvailabilityZone ?? '', capacityType: capacityTypeOf(seen, tags) },
    launchedAt: launched?.getTime() ?? 0,
    ...(seen.ImageId ? { imageId: seen.ImageId } : {}),
    ...(seen.PrivateDnsName ? { nodeName: seen.PrivateDnsName } : {}),
    ...(seen.StateReason?.Code ? { why: seen.StateReason.Code } : {}),
    ...(placement?.AvailabilityZoneId ? { zoneId: placement.AvailabilityZoneId } : {}),
  };
}

/** An on-demand machine may slip into an open reservation by itself; only the tag says what it was bought as. */
function capacityTypeOf({ InstanceLifecycle }: Ec2Instance, tags: Tags): OfferingRef['capacityType'] {
  if (InstanceLifecycle === 'spot') return 'spot';
  return tags[ec2Tags.capacityType] === 'reserved' ? 'reserved' : 'on-demand';
}

export const providerIdOf = ({ id, offering }: Machine): string => `aws:///${offering.zone}/${id}`;

export function toInstance(machine: OwnedMachine, shape: Shape | undefined): Instance {
  const { id, owner, tags, offering, launchedAt, imageId, nodeName, state, zoneId } = machine;
  const labels = { ...shape?.labels, ...(zoneId === undefined ? {} : { [awsLabels.zoneId]: zoneId }) };
  const claimName = tags[tagKeys.claim] ?? '';
  return {
    id,
    providerID: providerIdOf(machine),
    ...(state === 'pending' ? { handle: toHandle({ do: 'create', id, owner, at: launchedAt }) } : {}),
    owner,
    claimName,
    name: tags[ec2Tags.name] ?? claimName,
    offering,
    state: state === 'pending' ? 'creating' : state === 'shutting-down' ? 'deleting' : 'running',
    createdAt: launchedAt,
    ...defined({ imageID: imageId, nodeName }),
    ...shape,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}
