/** From what CloudStack says about a VM to what the contract calls an instance. */
import { defined } from '../../../base/defined.ts';
import type { OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import type { Instance } from '../../contract.ts';
import type { Shape } from '../../shape-store.ts';
import { toHandle } from './handle.ts';
import { changedByHand } from './made-of.ts';
import { cloudStackTags } from './ownership.ts';
import { isBroken, type OwnedVm, type Vm } from './vm.ts';

export interface InstanceFacts {
  now: number;
  /** What nodes carry for the VM's zone. */
  zone: string;
  /** What is known of its type; absent: nobody knows any more. */
  shape: Shape | undefined;
  /** The name of the type with this offering, for a VM that is not tagged yet. */
  typeOf(vm: Vm): string;
  /** What a list does not show and a look has found changed, in words. */
  changes?: readonly string[];
}

/** Between a deploy and its start, a VM is `Stopped`. */
const bootMs = 60_000;
/** A claim ends so long before the lease of its VM does: time for a drain. */
export const leaseLeadMs = 3_600_000;

export const providerIdOf = (zone: string, id: string): string => `cloudstack://${zone}/${id}`;

export function toInstance(vm: OwnedVm, { now, zone, shape, typeOf, changes }: InstanceFacts): Instance {
  const { id, owned, createdAt, templateId, name, leaseEndsAt } = vm;
  const { owner, claimName, instanceType, capacityType } = owned;
  const offering: OfferingRef = {
    instanceType: instanceType ?? typeOf(vm),
    zone,
    capacityType: capacityType ?? 'on-demand',
  };
  const state = stateOf(vm, now);
  const interruptsAt = leaseEndsAt !== undefined && leaseEndsAt - now <= leaseLeadMs ? leaseEndsAt : undefined;
  return {
    id,
    providerID: providerIdOf(zone, id),
    ...(state === 'creating' ? { handle: toHandle({ do: 'create', id, owner, at: createdAt }) } : {}),
    owner,
    claimName: claimName ?? '',
    name,
    offering,
    state,
    createdAt,
    nodeName: name,
    ...defined({
      imageID: templateId || undefined,
      interruptsAt,
      ending: state === 'running' ? endingOf(vm, interruptsAt) : undefined,
      changed: changedByHand(vm, vm.tags[cloudStackTags.madeOf], changes),
    }),
    ...shape,
  };
}

function stateOf({ state, createdAt }: Vm, now: number): Instance['state'] {
  if (state === 'Starting') return 'creating';
  if (state === 'Stopped' && now - createdAt < bootMs) return 'creating';
  // Whoever stops it, we or a person: nothing is to be done with it until that is over.
  return state === 'Stopping' ? 'deleting' : 'running';
}

/** By the same names as the messages of clouds that announce such things. */
function endingOf(vm: Vm, interruptsAt: number | undefined): Instance['ending'] {
  if (vm.state === 'Stopped' || vm.state === 'Shutdown') {
    return { kind: 'instance_stopped', reason: `VM ${vm.id} is ${vm.state} in CloudStack` };
  }
  if (isBroken(vm)) return { kind: 'instance_terminated', reason: `VM ${vm.id} is in state Error in CloudStack` };
  if (interruptsAt === undefined) return undefined;
  const then = vm.leaseAction === 'STOP' ? 'stops' : 'destroys';
  return {
    kind: 'scheduled_change',
    reason: `the lease of VM ${vm.id} ends at ${new Date(interruptsAt).toISOString()}; CloudStack ${then} it then`,
  };
}
