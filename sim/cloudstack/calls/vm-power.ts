/** Start, stop, reboot, scale and edit a VM. */
import { instanceGroup } from '../instance-groups.ts';
import { showVm } from '../machines/show-vm.ts';
import { stateOf, type Vm } from '../machines/vm.ts';
import type { Outcome } from '../wire/answer.ts';
import { failed, invalid, noCapacity, type Refused } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { checkUserData, sizeOf } from './deploy-order.ts';
import { needed } from './finding.ts';
import { endLease } from './new-vm.ts';
import { vmNamed } from './vm-ends.ts';
import { vmSubject } from './vm-subject.ts';

interface Power {
  name: string;
  params: string;
  /** What is refused when the job begins. */
  refuse?: (vm: Vm, call: Call, parts: Parts) => Refused | undefined;
  begin?: (vm: Vm, call: Call, parts: Parts) => void;
  end: (vm: Vm, call: Call, parts: Parts) => void;
}

const powerCommand = ({ name, params, refuse, begin, end }: Power): Command => ({
  name,
  isAsync: true,
  operation: 'get',
  params,
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { world, jobs, settings } = parts;
    const vm = vmNamed(call, parts);
    const job = jobs.open({
      command: name,
      account: call.caller,
      instance: { type: 'VirtualMachine', id: vm.id },
      on: vm,
    });
    const from = Math.max(world.now, vm.busyUntil);
    vm.busyUntil = from + Math.round(settings.powerSeconds * 1000);
    let refusal: Refused | undefined;
    world.timeline.plan(from, () => {
      refusal =
        vm.removedAt === null
          ? refuse?.(vm, call, parts)
          : invalid(`Unable to find a virtual machine with id ${vm.id}`);
      if (refusal === undefined) begin?.(vm, call, parts);
    });
    jobs.plan(job, vm.busyUntil, () => {
      if (refusal !== undefined) throw refusal;
      end(vm, call, parts);
      return { virtualmachine: showVm(vm, { ...world, admin: call.admin, details: ['all'] }) };
    });
    return { job: job.id };
  },
});

const unlessIn =
  (...states: readonly string[]) =>
  (vm: Vm): Refused | undefined =>
    states.includes(stateOf(vm))
      ? undefined
      : failed(`VM ${vm.name} is in state ${stateOf(vm)}, not ${states.join(' or ')}`);

function start(vm: Vm, { world }: Parts): Refused | undefined {
  const groups = vm.affinityGroups.flatMap((id) => world.groups.get(id) ?? []);
  const host = world.hosts.find({ ...vm, groups }, world.shown);
  if (host === undefined) return noCapacity(`Unable to create a deployment for VM instance {"uuid":"${vm.id}"}`);
  world.power(vm, host);
  return undefined;
}

const startVirtualMachine = powerCommand({
  name: 'startVirtualMachine',
  params:
    '*id:uuid bootintosetup:boolean clusterid:uuid considerlasthost:boolean deploymentplanner:string hostid:uuid podid:uuid',
  refuse: (vm, _call, parts) => {
    if (stateOf(vm) === 'Running') return undefined;
    return unlessIn('Stopped')(vm) ?? start(vm, parts);
  },
  end: (vm, _call, { world }) => world.running(vm),
});

const stopVirtualMachine = powerCommand({
  name: 'stopVirtualMachine',
  params: '*id:uuid forced:boolean',
  refuse: (vm) => (stateOf(vm) === 'Stopped' ? undefined : unlessIn('Running', 'Starting', 'Stopping', 'Unknown')(vm)),
  begin: (vm, _call, { world }) => world.setState(vm, 'Stopping'),
  end: (vm, _call, { world }) => world.stopped(vm),
});

const rebootVirtualMachine = powerCommand({
  name: 'rebootVirtualMachine',
  params: '*id:uuid bootintosetup:boolean forced:boolean',
  refuse: unlessIn('Running'),
  end: () => {},
});

const scaleVirtualMachine = powerCommand({
  name: 'scaleVirtualMachine',
  params: '*id:uuid *serviceofferingid:uuid automigrate:boolean details:map maxiops:long miniops:long shrinkok:boolean',
  refuse: (vm) => unlessIn('Stopped')(vm),
  end: (vm, { given }, { site }) => {
    const offering = needed(given, 'serviceofferingid', site.offerings);
    Object.assign(vm, { offering }, sizeOf(offering, given));
  },
});

const dayMs = 86_400_000;

const updateVirtualMachine: Command = {
  name: 'updateVirtualMachine',
  isAsync: false,
  operation: 'tag',
  params:
    '*id:uuid cleanupdetails:boolean customid:string deleteprotection:boolean details:map dhcpoptionsnetworklist:map displayname:string displayvm:boolean extraconfig:string group:string haenable:boolean instancename:string isdynamicallyscalable:boolean leaseduration:integer leaseexpiryaction:string name:string ostypeid:uuid securitygroupids:list securitygroupnames:list userdata:string userdatadetails:map userdataid:uuid',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, settings } = parts;
    const vm = vmNamed(call, parts);
    if (vm.removedAt !== null) throw invalid(`unable to find virtual machine with id ${vm.id}`);
    const userData = given.text('userdata');
    if (userData !== undefined) checkUserData(userData, settings.userDataLength);
    vm.displayName = given.text('displayname') ?? vm.displayName;
    vm.group = instanceGroup(given.text('group'), vm.owner, world)?.id ?? vm.group;
    vm.userData = userData ?? vm.userData;
    vm.deleteProtection = given.flag('deleteprotection') ?? vm.deleteProtection;
    const details = given.details('details');
    if (Object.keys(details).length > 0) vm.details = { ...details };
    if (given.flag('cleanupdetails') === true) vm.details = {};
    changeLease(vm, call, parts);
    return { object: { virtualmachine: showVm(vm, { ...world, admin: call.admin, details: ['all'] }) } };
  },
};

/** A lease can be changed and taken off, not put on what was deployed without one. */
function changeLease(vm: Vm, { given }: Call, parts: Parts): void {
  const duration = given.number('leaseduration');
  if (duration === undefined || !parts.settings.leases) return;
  if (vm.lease === undefined) {
    throw invalid('Lease can be modified only if instance was created with lease enabled');
  }
  if (duration === -1) {
    vm.lease = undefined;
    return;
  }
  const action = given.text('leaseexpiryaction')?.toUpperCase();
  vm.lease = {
    duration,
    action: action === 'DESTROY' || action === 'STOP' ? action : vm.lease.action,
    expiresAt: parts.world.now + duration * dayMs,
  };
  parts.world.timeline.plan(vm.lease.expiresAt, () => endLease(vm, parts));
}

export const powerCalls: readonly Command[] = [
  startVirtualMachine,
  stopVirtualMachine,
  rebootVirtualMachine,
  scaleVirtualMachine,
  updateVirtualMachine,
];
