/** Instance groups: listed and deleted; a VM of one that is deleted is in none. */

import { ownerFields } from '../machines/show-vm.ts';
import type { Outcome } from '../wire/answer.ts';
import { timeText } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import type { Command } from './command.ts';
import { byId, contains, listFilter, mayUse, needed, noRight } from './finding.ts';

const listInstanceGroups: Command = {
  name: 'listInstanceGroups',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid id:uuid isrecursive:boolean keyword:string listall:boolean name:string page:integer pagesize:integer projectid:uuid',
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, settings, site } = parts;
    const only = byId(given, 'id', world.instanceGroups);
    const mine = listFilter(call, parts);
    const found = [...world.instanceGroups.values()].filter(
      (group) =>
        mine(group.owner) &&
        (only === undefined || group === only) &&
        contains(group.name, given.text('name')) &&
        contains(group.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'instancegroup', found, ({ id, name, owner, created }) => ({
      id,
      name,
      created: timeText(created),
      ...ownerFields(owner, site),
    }));
  },
};

const deleteInstanceGroup: Command = {
  name: 'deleteInstanceGroup',
  isAsync: false,
  operation: 'tag',
  params: '*id:uuid',
  run: (call, { world, site }): Outcome => {
    const group = needed(call.given, 'id', world.instanceGroups);
    if (!mayUse(group.owner, call, site)) throw noRight(call.caller, 'instance group', group.id);
    for (const vm of world.shown) if (vm.group === group.id) vm.group = undefined;
    world.instanceGroups.delete(group.id);
    return { object: { success: true } };
  },
};

export const instanceGroupCalls: readonly Command[] = [listInstanceGroups, deleteInstanceGroup];
