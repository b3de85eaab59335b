/** The VM that a deploy makes: its size, addresses, plan, guest and lease. */
import { labelValueOf } from '../../../shared/base/kubernetes/label-syntax.ts';
import { planFor } from '../../cloud/plan.ts';
import { defaultSettings as cloudDefaults } from '../../cloud/settings.ts';
import { guestNodeOf } from '../guest/node-request.ts';
import { instanceGroup } from '../instance-groups.ts';
import type { Nic, Vm } from '../machines/vm.ts';
import type { Offering } from '../site/types.ts';
import { uuidOf } from '../site/uuid.ts';
import type { Arguments } from '../wire/fields.ts';
import { invalid, Refused } from '../wire/refusals.ts';
import type { Call, Parts } from './command.ts';
import type { Order } from './deploy-order.ts';

/** As faults and the ledger name it: the offering, in the letters of a label, and its size where the deployer chose that. */
const typeNameOf = ({ name, custom }: Offering, { cpus, memory }: { cpus: number; memory: number }): string =>
  custom === undefined ? labelValueOf(name) : `${labelValueOf(name)}-${cpus}cpu-${memory}mib`;

export function typeAskedFor(given: Arguments, offering: Offering | undefined): string {
  const { cpuNumber, memory } = given.details('details');
  return offering === undefined ? '' : typeNameOf(offering, { cpus: Number(cpuNumber), memory: Number(memory) });
}

/** Operators sell preemptible capacity by offerings; those of the default site say so in their tags. */
export const capacityTypeOf = (offering: Offering | undefined): 'spot' | 'on-demand' =>
  offering?.hostTags.split(',').includes('spot') === true ? 'spot' : 'on-demand';
export function makeVm(order: Order, call: Call, parts: Parts): Vm {
  const { given, caller, faults } = call;
  const { world, settings, machines } = parts;
  const { zone, template, offering, cpus, memory, owner } = order;
  const seq = world.nextSeq;
  const id = order.customId ?? world.nextId('vm');
  const instanceName = `i-2-${seq}-VM`;
  const name = order.name ?? `VM-${id}`;
  const nics = order.networks.map(({ network, ip, mac }, index): Nic => {
    const address = world.takeAddress(network, ip);
    if (address === undefined && network.cidr !== undefined) {
      if (ip !== undefined) throw invalid(`The given IP ${ip} is not available in network ${network.name}`);
      throw new Refused(533, `Unable to get an address in network ${network.name}`, 4320);
    }
    const macs = [0x02, 0x00, (seq >> 16) & 255, (seq >> 8) & 255, seq & 255, index + 1];
    return {
      id: uuidOf(id, 'nic', index),
      network,
      ip: address,
      mac: mac ?? macs.map((one) => one.toString(16).padStart(2, '0')).join(':'),
      isDefault: index === 0,
    };
  });
  const facts = { vmId: id, name, zone: zone.name, offering: offering.name, ip: nics[0]?.ip ?? '' };
  const node = order.userData === '' ? undefined : guestNodeOf(order.userData, facts);
  const request = {
    name,
    instanceType: typeNameOf(offering, { cpus, memory }),
    zone: zone.name,
    capacityType: capacityTypeOf(offering),
    tags: {},
    labels: node?.labels ?? {},
    taints: node?.taints ?? [],
    image: template.name,
  };
  const plan = planFor(request, { ...cloudDefaults, ...settings, quota: null }, faults.machine, world.now);
  if (node === undefined) plan.registerSeconds = null;
  const vm: Vm = {
    id,
    record: {
      seq,
      id: node?.name ?? name.toLowerCase(),
      request,
      price: null,
      plan,
      createdAt: world.now,
      runningAt: null,
      deletingAt: null,
      deleteDueAt: null,
      goneAt: null,
      whyGone: null,
      nodeStage: 'none',
    },
    name,
    displayName: given.text('displayname') ?? name,
    instanceName,
    group: instanceGroup(given.text('group'), owner, world)?.id,
    owner,
    user: caller,
    zone,
    template,
    offering,
    cpus,
    memory,
    cpuSpeed: order.cpuSpeed,
    rootDiskSize: order.rootDiskSize,
    details: vmDetails(given),
    nics,
    affinityGroups: order.groups.map((group) => group.id),
    keyPairs: order.keyPairs,
    securityGroups: order.securityGroups,
    bootType: given.text('boottype') ?? 'Bios',
    bootMode: given.text('bootmode')?.toLowerCase() ?? 'legacy',
    tags: {},
    userData: joined(template.userData?.text, order.userData),
    lease: leaseOf(given, offering, parts),
    deleteProtection: false,
    host: undefined,
    lastHost: undefined,
    states: [{ at: world.now, state: 'Stopped' }],
    removedAt: null,
    busyUntil: world.now,
    stillborn: false,
    job: undefined,
  };
  machines.admit(vm, catalogTypeOf(vm), node?.providerID);
  const { lease } = vm;
  if (lease !== undefined) world.timeline.plan(lease.expiresAt, () => endLease(vm, parts));
  return vm;
}

/** The real one makes a message of several parts. */
const joined = (ofTemplate: string | undefined, ofDeploy: string): string =>
  ofTemplate === undefined
    ? ofDeploy
    : Buffer.from(`${ofTemplate}\n${Buffer.from(ofDeploy, 'base64').toString()}`).toString('base64');

const catalogTypeOf = ({ record, template, cpus, memory, offering }: Vm) => ({
  name: record.request.instanceType,
  arch: template.arch === 'aarch64' ? ('arm64' as const) : ('amd64' as const),
  cpu: cpus,
  memoryGi: memory / 1024,
  gpus: offering.gpu?.count ?? (offering.details.pciDevice === undefined ? 0 : 1),
  price: null,
  spot: false,
  zones: [],
});

/** What a deployer says beyond the size, and extra configuration as CloudStack keeps it. */
function vmDetails(given: Arguments): Record<string, string> {
  const details = { ...given.details('details') };
  const extra = given.text('extraconfig');
  if (extra !== undefined) details['extraconfig-1'] = extra;
  const size = given.text('rootdisksize');
  if (size !== undefined) details.rootdisksize = size;
  return details;
}

const dayMs = 86_400_000;

function leaseOf(given: Arguments, offering: Offering, { settings, world }: Parts): Vm['lease'] {
  if (!settings.leases) return undefined;
  const duration = given.number('leaseduration') ?? offering.lease?.duration;
  if (duration === undefined || duration === -1) return undefined;
  const action =
    given.text('leaseexpiryaction')?.toUpperCase() === 'DESTROY' ? 'DESTROY' : (offering.lease?.action ?? 'STOP');
  return { duration, action, expiresAt: world.now + duration * dayMs };
}

/** Unless it was made longer meanwhile. */
export function endLease(vm: Vm, { world }: Parts): void {
  const { lease } = vm;
  if (lease === undefined || lease.expiresAt > world.now || vm.deleteProtection) return;
  if (lease.action === 'DESTROY') world.destroyed(vm, 'interrupted');
  else world.stopped(vm);
}
