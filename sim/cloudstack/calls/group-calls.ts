/** Affinity groups: made by a name that is free in its account, deleted when no VM is in them. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import { type AffinityGroup, groupTypes } from '../affinity-groups.ts';
import { ownerFields } from '../machines/show-vm.ts';
import type { Outcome } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import { invalid, Refused } from '../wire/refusals.ts';
import { sameOwner } from '../world.ts';
import type { Call, Command, Parts } from './command.ts';
import { contains, listFilter, mayUse, noRight, ownerFor } from './finding.ts';

const createAffinityGroup: Command = {
  name: 'createAffinityGroup',
  isAsync: true,
  operation: 'tag',
  params: '*name:string *type:string account:string description:string domainid:uuid projectid:uuid',
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, jobs, settings, site } = parts;
    const type = groupTypes.find((one) => one === given.text('type'));
    if (type === undefined)
      throw invalid(`Unable to create affinity group, invalid affinity group type${given.text('type')}`);
    const name = given.text('name') ?? '';
    const owner = ownerFor(call, site);
    if ([...world.groups.values()].some((one) => one.name === name && sameOwner(one.owner, owner))) {
      throw invalid(`Unable to create affinity group, a group with name ${name} already exists.`);
    }
    const group: AffinityGroup = {
      id: world.nextId('group'),
      name,
      type,
      description: given.text('description') ?? '',
      owner,
    };
    world.groups.set(group.id, group);
    const job = jobs.open({
      command: 'createAffinityGroup',
      account: call.caller,
      instance: { type: 'AffinityGroup', id: group.id },
    });
    jobs.plan(job, world.after(settings.jobSeconds), () => ({ affinitygroup: show(group, parts) }));
    return { id: group.id, job: job.id };
  },
};

const deleteAffinityGroup: Command = {
  name: 'deleteAffinityGroup',
  isAsync: true,
  operation: 'tag',
  params: 'account:string domainid:uuid id:uuid name:string projectid:uuid',
  run: (call, parts): Outcome => {
    const { world, jobs, settings } = parts;
    const group = named(call, parts);
    const job = jobs.open({
      command: 'deleteAffinityGroup',
      account: call.caller,
      instance: { type: 'AffinityGroup', id: group.id },
    });
    jobs.plan(job, world.after(settings.jobSeconds), () => {
      const used = [...world.shown].some((vm) => vm.affinityGroups.includes(group.id));
      if (used) throw new Refused(536, `Cannot delete affinity group when it's in use by virtual machines`, 4375);
      world.groups.delete(group.id);
      return { success: true };
    });
    return { job: job.id };
  },
};

function named(call: Call, { world, site }: Parts): AffinityGroup {
  const { given } = call;
  const id = given.text('id');
  const name = given.text('name');
  if ((id === undefined) === (name === undefined))
    throw invalid('Either the affinity group Id or group name must be specified');
  const found =
    id === undefined
      ? [...world.groups.values()].find((one) => one.name === name && sameOwner(one.owner, ownerFor(call, site)))
      : world.groups.get(id);
  if (found === undefined) {
    if (id !== undefined) throw given.badValue('id', id);
    throw invalid(`Unable to find affinity group by name: ${name}`);
  }
  if (!mayUse(found.owner, call, site)) throw noRight(call.caller, 'affinity group', found.id);
  return found;
}

const listAffinityGroups: Command = {
  name: 'listAffinityGroups',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid id:uuid isrecursive:boolean keyword:string listall:boolean name:string page:integer pagesize:integer projectid:uuid type:string virtualmachineid:uuid',
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, settings } = parts;
    const id = given.text('id');
    if (id !== undefined && !world.groups.has(id)) throw given.badValue('id', id);
    const mine = listFilter(call, parts);
    const vm = world.find(given.text('virtualmachineid') ?? '');
    const found = [...world.groups.values()].filter(
      (group) =>
        mine(group.owner) &&
        (id === undefined || group.id === id) &&
        (!given.has('name') || group.name === given.text('name')) &&
        (!given.has('type') || group.type === given.text('type')) &&
        (!given.has('virtualmachineid') || vm?.affinityGroups.includes(group.id) === true) &&
        contains(group.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'affinitygroup', found, (group) => show(group, parts));
  },
};

function show(group: AffinityGroup, { world, site }: Parts): JsonObject {
  const members = [...world.shown].filter((vm) => vm.affinityGroups.includes(group.id)).map(({ id }) => id);
  return defined({
    id: group.id,
    name: group.name,
    description: group.description === '' ? undefined : group.description,
    ...ownerFields(group.owner, site),
    type: group.type,
    virtualmachineIds: members.length === 0 ? undefined : members,
  });
}

export const groupCalls: readonly Command[] = [createAffinityGroup, deleteAffinityGroup, listAffinityGroups];
