/** Destroying a VM, expunging it, and bringing it back in between. */
import { showVm } from '../machines/show-vm.ts';
import { isDead, stateOf, type Vm } from '../machines/vm.ts';
import type { Outcome } from '../wire/answer.ts';
import { failed, invalid, notPermitted } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { mayUse, noRight } from './finding.ts';
import { vmSubject } from './vm-subject.ts';

/** Expunged ones too: what is done to them fails in its job. */
export function vmNamed(call: Call, { world, site }: Parts, name = 'id'): Vm {
  const id = call.given.text(name) ?? '';
  const vm = world.everFound(id);
  if (vm === undefined) throw call.given.badValue(name, id);
  if (!mayUse(vm.owner, call, site)) throw noRight(call.caller, 'virtual machine', id);
  return vm;
}

const mayExpunge = ({ admin }: Call, { settings }: Parts): boolean => admin || settings.userMayExpunge;

export const destroyVirtualMachine: Command = {
  name: 'destroyVirtualMachine',
  isAsync: true,
  operation: 'delete',
  params: '*id:uuid expunge:boolean volumeids:list',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { given, caller, admin } = call;
    const { world, jobs, settings } = parts;
    const vm = vmNamed(call, parts);
    const expunge = given.flag('expunge') === true;
    const volumes = given.list('volumeids');
    for (const id of volumes) if (!world.volumes.has(id)) throw given.badValue('volumeids', id);
    const job = jobs.open({
      command: 'destroyVirtualMachine',
      account: caller,
      instance: { type: 'VirtualMachine', id: vm.id },
      on: vm,
    });
    const refusal = refusalOf(vm, expunge, call, parts);
    if (refusal !== undefined) {
      jobs.plan(job, world.after(settings.jobSeconds), () => {
        throw refusal;
      });
      return { job: job.id };
    }
    // One thing after the other: what is being started is started first.
    const begin = Math.max(world.now, vm.busyUntil);
    vm.record.deletingAt ??= world.now;
    if (begin <= world.now && vm.host !== undefined) world.setState(vm, 'Stopping');
    const takes = isDead(stateOf(vm)) ? settings.jobSeconds : settings.destroySeconds;
    vm.busyUntil = begin + Math.round(takes * 1000);
    vm.record.deleteDueAt = vm.busyUntil;
    jobs.plan(job, vm.busyUntil, () => {
      const shown = { ...world, admin, details: ['all'] };
      if (vm.removedAt === null) {
        for (const id of volumes) world.volumes.delete(id);
        if (expunge) world.expunged(vm, 'deleted');
        else world.destroyed(vm, 'deleted');
      }
      return { virtualmachine: showVm(vm, shown) };
    });
    return { job: job.id };
  },
};

function refusalOf(vm: Vm, expunge: boolean, call: Call, parts: Parts) {
  if (vm.removedAt !== null) return invalid('Unable to find a virtual machine with specified vmId');
  if (vm.deleteProtection) {
    return invalid(`Instance [id = ${vm.id}, name = ${vm.name}] has delete protection enabled and cannot be deleted.`);
  }
  if (expunge && !mayExpunge(call, parts)) {
    return notPermitted(
      'Parameter expunge can be passed by Admin only. Or when the allow.user.expunge.recover.vm key is set.',
    );
  }
  return undefined;
}

export const expungeVirtualMachine: Command = {
  name: 'expungeVirtualMachine',
  isAsync: true,
  operation: 'delete',
  params: '*id:uuid',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { world, jobs, settings } = parts;
    const vm = vmNamed(call, parts);
    const job = jobs.open({
      command: 'expungeVirtualMachine',
      account: call.caller,
      instance: { type: 'VirtualMachine', id: vm.id },
      on: vm,
    });
    jobs.plan(job, world.after(settings.jobSeconds), () => {
      if (!mayExpunge(call, parts)) {
        throw notPermitted(
          'Expunging a vm can only be done by an Admin. Or when the allow.user.expunge.recover.vm key is set.',
        );
      }
      if (vm.removedAt !== null) return { success: true };
      if (!isDead(stateOf(vm)) && stateOf(vm) !== 'Error') {
        throw failed(`Please destroy vm with specified vmId before expunge ${vm.id}`);
      }
      world.expunged(vm, 'deleted');
      return { success: true };
    });
    return { job: job.id };
  },
};

export const recoverVirtualMachine: Command = {
  name: 'recoverVirtualMachine',
  isAsync: false,
  operation: 'get',
  params: '*id:uuid',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { world } = parts;
    const vm = vmNamed(call, parts);
    if (!mayExpunge(call, parts)) {
      throw notPermitted(
        'Recovering a vm can only be done by an Admin. Or when the allow.user.expunge.recover.vm key is set.',
      );
    }
    if (vm.removedAt !== null || stateOf(vm) !== 'Destroyed') {
      throw invalid(`VM ${vm.id} can't be recovered: it is not Destroyed`);
    }
    world.recovered(vm);
    return { object: { virtualmachine: showVm(vm, { ...world, admin: call.admin, details: ['all'] }) } };
  },
};
