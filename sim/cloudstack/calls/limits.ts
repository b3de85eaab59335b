/** Limits of accounts and projects: how much there may be of a kind of resource. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import { ownerFields } from '../machines/show-vm.ts';
import type { Owner } from '../site/types.ts';
import { pageOf } from '../wire/pages.ts';
import { overLimit, type Refused } from '../wire/refusals.ts';
import type { Command, Parts } from './command.ts';
import { ownerFor } from './finding.ts';

/** By their numbers; -1 is no limit. */
const kinds = [
  [0, 'user_vm'],
  [1, 'public_ip'],
  [2, 'volume'],
  [3, 'snapshot'],
  [4, 'template'],
  [5, 'project'],
  [6, 'network'],
  [7, 'vpc'],
  [8, 'cpu'],
  [9, 'memory'],
  [10, 'primary_storage'],
  [11, 'secondary_storage'],
  [17, 'gpu'],
] as const;

/** Administrators have none. */
export function checkLimits(
  owner: Owner,
  more: Readonly<Record<string, number>>,
  { world, site, settings }: Parts,
): void {
  if (isUnlimited(owner, { site })) return;
  const used = world.usage(owner);
  for (const [kind, wanted] of Object.entries(more)) {
    const most = settings.limits[kind];
    if (most === undefined || wanted === 0 || (used[kind] ?? 0) + wanted <= most) continue;
    throw limitReached(owner, kind, most, used[kind] ?? 0, wanted, settings.limitCode);
  }
}

export function limitReached(
  { account, domainId, projectId }: Owner,
  kind: string,
  most: number,
  used: number,
  wanted: number,
  code: 532 | 535,
): Refused {
  const whose = projectId === undefined ? `Account Name: ${account}` : `Project ID: ${projectId}`;
  return overLimit(
    code,
    `Maximum amount of resources of Type = '${kind}' for ${whose} in Domain ID: ${domainId} has been exceeded. Limit = ${most}, in use = ${used}, requested = ${wanted}.`,
  );
}

const isUnlimited = ({ account, projectId }: Owner, { site }: Pick<Parts, 'site'>): boolean =>
  projectId === undefined &&
  [...site.accounts.values()].some((one) => one.name === account && one.role === 'Root Admin');

/** As accounts and projects show their limits: what is used as a number, a limit and what is left of it as a text. */
const shownAs = [
  ['user_vm', 'vm'],
  ['cpu', 'cpu'],
  ['memory', 'memory'],
  ['gpu', 'gpu'],
  ['volume', 'volume'],
  ['primary_storage', 'primarystorage'],
] as const;

export function limitFields(owner: Owner, parts: Pick<Parts, 'world' | 'site' | 'settings'>): JsonObject {
  const used = parts.world.usage(owner);
  const free = isUnlimited(owner, parts);
  return Object.fromEntries(
    shownAs.flatMap(([kind, name]) => {
      const most = free ? undefined : parts.settings.limits[kind];
      const total = used[kind] ?? 0;
      return [
        [`${name}total`, total],
        [`${name}limit`, most === undefined ? 'Unlimited' : String(most)],
        [`${name}available`, most === undefined ? 'Unlimited' : String(Math.max(0, most - total))],
      ];
    }),
  );
}

export const listResourceLimits: Command = {
  name: 'listResourceLimits',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid id:long isrecursive:boolean keyword:string listall:boolean page:integer pagesize:integer projectid:uuid resourcetype:integer resourcetypename:string tag:string',
  run: (call, parts) => {
    const { given } = call;
    const { site, settings } = parts;
    const owner = ownerFor(call, site);
    const number = given.number('resourcetype');
    const found = kinds.filter(
      ([kind, name]) =>
        (number === undefined || kind === number) &&
        (!given.has('resourcetypename') || name === given.text('resourcetypename')),
    );
    return pageOf(
      given,
      settings.pageSize,
      'resourcelimit',
      found,
      ([kind, name]): JsonObject =>
        defined({
          ...ownerFields(owner, site),
          resourcetype: String(kind),
          resourcetypename: name,
          max: isUnlimited(owner, parts) ? -1 : (settings.limits[name] ?? -1),
        }),
    );
  },
};
