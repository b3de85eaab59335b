/** listVirtualMachines: by id, name, state, place and tags, and each VM in as much detail as is asked for. */
import { showVm } from '../machines/show-vm.ts';
import { isDead, stateAt, type Vm } from '../machines/vm.ts';
import { pageOf } from '../wire/pages.ts';
import { invalid } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { byId, contains, listFilter, mayUse, noRight, tagFilter } from './finding.ts';
import { vmSubject } from './vm-subject.ts';

const params =
  'account:string accumulate:boolean affinitygroupid:uuid arch:string details:list displayvm:boolean domainid:uuid forvirtualnetwork:boolean gpuenabled:boolean groupid:uuid haenable:boolean hostid:uuid hypervisor:string id:uuid ids:list isoid:uuid isrecursive:boolean keypair:string keyword:string leased:boolean listall:boolean name:string networkid:uuid page:integer pagesize:integer podid:uuid projectid:uuid retrieveonlyresourcecount:boolean serviceofferingid:uuid showicon:boolean state:string storageid:uuid tags:map templateid:uuid userdata:boolean userdataid:uuid userid:uuid vpcid:uuid zoneid:uuid';

export const listVirtualMachines: Command = {
  name: 'listVirtualMachines',
  isAsync: false,
  operation: 'list',
  params,
  subject: vmSubject,
  run: (call, parts) => {
    const { given, admin, faults } = call;
    const { world, settings } = parts;
    const lag = Math.max(settings.listLagSeconds, faults.lagSeconds);
    const at = lag === 0 ? undefined : world.now - Math.round(lag * 1000);
    const found = select(call, parts, at);
    const details = given.list('details');
    const withUserData = given.flag('userdata') === true;
    return pageOf(given, settings.pageSize, 'virtualmachine', found, (vm) =>
      showVm(vm, { ...world, admin, details, withUserData, ...(at === undefined ? {} : { at }) }),
    );
  },
};

function select(call: Call, parts: Parts, at: number | undefined): Vm[] {
  const { given, admin } = call;
  const { site, world, settings } = parts;
  const ids = given.list('ids');
  if (ids.length > 0 && given.has('id')) {
    throw invalid('Specify either id or ids but not both parameters');
  }
  const named = given.has('id') ? [given.text('id') ?? ''] : ids;
  const candidates = named.length > 0 ? named.map((id) => known(id, call, parts)) : everything(parts, at);
  const mine = listFilter(call, parts);
  const zone = byId(given, 'zoneid', site.zones);
  const tagged = tagFilter(given);
  const state = given.text('state')?.toLowerCase();
  const seesDead = admin || settings.userSeesDestroyed;
  const gpus = given.flag('gpuenabled');
  const leased = given.flag('leased');
  const text = (name: string, value: string | undefined): boolean => !given.has(name) || given.text(name) === value;
  return candidates.filter((vm) => {
    const shownState = stateAt(vm, at ?? world.now);
    if (shownState === undefined || (isDead(shownState) && !seesDead)) return false;
    if (named.length === 0 && !mine(vm.owner)) return false;
    return (
      (state === undefined || fitsState(state, shownState)) &&
      (zone === undefined || vm.zone === zone) &&
      text('name', vm.name) &&
      (contains(vm.name, given.text('keyword')) || contains(vm.displayName, given.text('keyword'))) &&
      text('groupid', vm.group) &&
      text('serviceofferingid', vm.offering.id) &&
      text('templateid', vm.template.id) &&
      text('hypervisor', vm.template.hypervisor) &&
      text('arch', vm.template.arch) &&
      text('userid', vm.user.userId) &&
      (!given.has('hostid') || vm.host?.id === given.text('hostid')) &&
      (!given.has('keypair') || vm.keyPairs.includes(given.text('keypair') ?? '')) &&
      (!given.has('networkid') || vm.nics.some(({ network }) => network.id === given.text('networkid'))) &&
      (!given.has('affinitygroupid') || vm.affinityGroups.includes(given.text('affinitygroupid') ?? '')) &&
      (gpus === undefined || (vm.offering.gpu !== undefined) === gpus) &&
      (leased === undefined || (vm.lease !== undefined) === leased) &&
      tagged(vm.tags)
    );
  });
}

/** `Present` is everything that is not destroyed. */
const fitsState = (wanted: string, state: string): boolean =>
  wanted === 'present' ? !isDead(state as 'Destroyed') : state.toLowerCase() === wanted;

/** What lags may show what is gone by now. */
const everything = ({ world }: Parts, at: number | undefined): Vm[] => [
  ...(at === undefined ? world.shown : world.ledger),
];

/** An expunged VM is known and in no list; an id that never was is refused. */
function known(id: string, call: Call, { world, site }: Parts): Vm {
  const vm = world.everFound(id);
  if (vm === undefined) throw call.given.badValue('id', id);
  if (!mayUse(vm.owner, call, site)) throw noRight(call.caller, 'virtual machine', id);
  return vm;
}
