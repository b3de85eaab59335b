/** Whose claim a call about a VM is for, so that faults can be aimed at it. */
import type { FaultSubject } from '../../kit/faults.ts';
import { claimUidOf } from '../machines/vm.ts';
import type { Call, Parts } from './command.ts';

export function vmSubject({ given }: Call, { world, jobs }: Parts): FaultSubject {
  const job = jobs.find(given.text('jobid') ?? '');
  const id =
    job?.instance?.id ??
    given.text('id') ??
    given.text('virtualmachineid') ??
    given.list('resourceids')[0] ??
    given.list('ids')[0];
  const vm = id === undefined ? undefined : world.everFound(id);
  if (vm === undefined) return { claimName: given.text('name') };
  const { instanceType, zone, capacityType } = vm.record.request;
  return {
    offering: { instanceType, zone, capacityType },
    claimUid: claimUidOf(vm),
    claimName: vm.name,
  };
}
