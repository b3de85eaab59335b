/** deployVirtualMachine: what is refused at once, what fails in the job, and the VM that is there from the first answer on. */
import type { FaultSubject } from '../../kit/faults.ts';
import { showVm } from '../machines/show-vm.ts';
import { claimUidIn } from '../machines/vm.ts';
import { noCapacity, Refused } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { readOrder } from './deploy-order.ts';
import { capacityTypeOf, makeVm, typeAskedFor } from './new-vm.ts';
import { makeRoot, orderedDisks } from './volume-calls.ts';

export const deployVirtualMachine: Command = {
  name: 'deployVirtualMachine',
  isAsync: true,
  operation: 'create',
  params:
    '*zoneid:uuid *serviceofferingid:uuid templateid:uuid account:string affinitygroupids:list affinitygroupnames:list bootmode:string bootintosetup:boolean boottype:string clusterid:uuid copyimagetags:boolean customid:string datadiskofferinglist:map datadisksdetails:map deploymentplanner:string details:map dhcpoptionsnetworklist:map diskofferingid:uuid displayname:string displayvm:boolean domainid:uuid dynamicscalingenabled:boolean extraconfig:string group:string hostid:uuid hypervisor:string iodriverpolicy:string iothreadsenabled:boolean ip6address:string ipaddress:string iptonetworklist:map keyboard:string keypair:string keypairs:list leaseduration:integer leaseexpiryaction:string macaddress:string name:string networkids:list nicmultiqueuenumber:integer nicnetworklist:map nicpackedvirtqueuesenabled:boolean overridediskofferingid:uuid password:string podid:uuid projectid:uuid properties:map rootdisksize:long securitygroupids:list securitygroupnames:list size:long snapshotid:uuid startvm:boolean userdata:string userdatadetails:map userdataid:uuid volumeid:uuid',
  subject: ({ given }, { site }): FaultSubject => {
    const zone = site.zones.get(given.text('zoneid') ?? '')?.name ?? '';
    const offering = site.offerings.get(given.text('serviceofferingid') ?? '');
    const texts = [given.text('displayname'), given.text('group')];
    return {
      offering: { instanceType: typeAskedFor(given, offering), zone, capacityType: capacityTypeOf(offering) },
      claimUid: claimUidIn({ tags: {}, texts }),
      claimName: given.text('name'),
    };
  },
  run: deploy,
};
function deploy(call: Call, parts: Parts): { id: string; job: string } {
  const { given, caller, faults } = call;
  const { world, jobs, settings } = parts;
  const order = readOrder(call, parts);
  const fault = faults.answer;
  const soldOut = fault?.kind === 'sold-out';
  const vm = makeVm(order, call, parts);
  world.add(vm);
  makeRoot(vm, parts);
  const disks = orderedDisks(given, vm, parts);
  for (const volume of disks) world.volumes.set(volume.id, volume);
  const job = jobs.open({
    command: 'deployVirtualMachine',
    account: caller,
    instance: { type: 'VirtualMachine', id: vm.id },
    on: vm,
  });
  const show = () => ({ virtualmachine: showVm(vm, { ...world, admin: call.admin, details: ['all'] }) });
  if (given.flag('startvm') === false) {
    jobs.plan(job, world.after(settings.jobSeconds), show);
    return { id: vm.id, job: job.id };
  }
  world.setState(vm, 'Starting');
  const host = soldOut ? undefined : world.hosts.find(order, world.shown, order.hostId);
  const broken = faults.machine.find((one) => one.kind === 'operation-fails');
  if (host === undefined || broken !== undefined) {
    const why =
      broken === undefined
        ? noCapacity(
            `Unable to create a deployment for VM instance {"id":${vm.record.seq},"instanceName":"${vm.instanceName}","type":"User","uuid":"${vm.id}"}`,
          )
        : new Refused(/^\d{3}$/.test(broken.code) ? Number(broken.code) : 530, broken.message);
    vm.stillborn = true;
    vm.busyUntil = world.after(settings.jobSeconds);
    jobs.plan(job, vm.busyUntil, () => {
      world.broken(vm);
      throw why;
    });
    return { id: vm.id, job: job.id };
  }
  world.power(vm, host);
  const { runningAt, vanishAt, noticeAt, interruptAt } = vm.record.plan;
  // What never runs has a job that never ends.
  if (runningAt !== null) {
    vm.busyUntil = runningAt;
    jobs.plan(job, runningAt, () => {
      if (vm.removedAt === null && vm.host !== undefined) world.running(vm);
      return show();
    });
  }
  if (vanishAt !== null) world.timeline.plan(vanishAt, () => world.vanish(vm));
  if (noticeAt !== null && interruptAt !== null) {
    world.timeline.plan(noticeAt, () => {
      vm.lease = { duration: 1, action: 'DESTROY', expiresAt: interruptAt };
    });
    world.timeline.plan(interruptAt, () => world.destroyed(vm, 'interrupted'));
  }
  return { id: vm.id, job: job.id };
}
