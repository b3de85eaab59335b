/** Tags are put on in a call of their own, after the thing itself is there; twice the same key is refused. */
import { tagList } from '../machines/show-vm.ts';
import type { Owner, Tags } from '../site/types.ts';
import type { Outcome } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import { failed, invalid, missing } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { contains, listFilter, mayUse, noRight } from './finding.ts';
import { vmSubject } from './vm-subject.ts';

interface Tagged {
  type: string;
  id: string;
  owner: Owner;
  tags: Tags;
}

const types = ['UserVm', 'Volume', 'Network', 'Template', 'Zone'] as const;
const siteOwner: Owner = { account: 'admin', domainId: '' };

function resource(type: string, id: string, { world, site }: Parts): Tagged | undefined {
  const kind = types.find((one) => one.toLowerCase() === type.toLowerCase());
  if (kind === undefined) throw invalid(`Invalid resource type: ${type}`);
  const found = {
    UserVm: () => world.find(id),
    Volume: () => world.volumes.get(id),
    Network: () => site.networks.get(id),
    Template: () => site.templates.get(id),
    Zone: () => site.zones.get(id),
  }[kind]();
  if (found === undefined) return undefined;
  const owner = 'owner' in found ? (found.owner ?? siteOwner) : siteOwner;
  return { type: kind, id, owner, tags: found.tags };
}

function resources(call: Call, parts: Parts): Tagged[] {
  const { given } = call;
  const type = given.text('resourcetype') ?? '';
  return given.list('resourceids').map((id) => {
    const found = resource(type, id, parts);
    if (found === undefined) throw invalid(`Unable to find resource by id ${id} and type ${type}`);
    if (!mayUse(found.owner, call, parts.site)) throw noRight(call.caller, 'resource', id);
    return found;
  });
}

const keyLength = 255;

/** All of them or none. */
const createTags: Command = {
  name: 'createTags',
  isAsync: true,
  operation: 'tag',
  params: '*resourceids:list *resourcetype:string *tags:map customer:string',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { given } = call;
    const pairs = given.pairs('tags');
    if (pairs.length === 0) throw missing('createTags', 'tags');
    for (const { key, value = '' } of pairs) {
      if (key.length > keyLength || value.length > keyLength) throw invalid(`Tag ${key.slice(0, 40)} is too long`);
    }
    return job(call, parts, () => {
      const empty = pairs.find(({ value }) => value === undefined || value === '');
      if (empty !== undefined) throw invalid(`Value for the key ${empty.key} is either null or empty`);
      const found = resources(call, parts);
      for (const { type, id, tags } of found) {
        const known = pairs.find(({ key }) => key in tags);
        if (known !== undefined) throw failed(`tag ${known.key} already on ${type} with id ${id}`);
      }
      for (const { tags } of found) for (const { key, value = '' } of pairs) tags[key] = value;
    });
  },
};

/** Without tags, all of them. One that has another value stays. */
const deleteTags: Command = {
  name: 'deleteTags',
  isAsync: true,
  operation: 'tag',
  params: '*resourceids:list *resourcetype:string tags:map',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const pairs = call.given.pairs('tags');
    return job(call, parts, () => {
      let removed = 0;
      for (const { tags } of resources(call, parts)) {
        for (const key of Object.keys(tags)) {
          const named = pairs.find((pair) => pair.key === key);
          if (pairs.length > 0 && named === undefined) continue;
          if (named?.value !== undefined && named.value !== tags[key]) continue;
          delete tags[key];
          removed++;
        }
      }
      if (removed === 0) throw invalid('Unable to find any tags which conform to specified delete parameters.');
    });
  },
};

function job(call: Call, { world, jobs, settings }: Parts, work: () => void): Outcome {
  const opened = jobs.open({ command: call.given.command, account: call.caller });
  jobs.plan(opened, world.after(settings.jobSeconds), () => {
    work();
    return { success: true };
  });
  return { job: opened.id };
}

const listTags: Command = {
  name: 'listTags',
  isAsync: false,
  operation: 'list',
  params:
    'account:string customer:string domainid:uuid isrecursive:boolean key:string keyword:string listall:boolean page:integer pagesize:integer projectid:uuid resourceid:string resourcetype:string value:string',
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, site, settings } = parts;
    const mine = listFilter(call, parts);
    const all: Tagged[] = [
      ...[...world.shown].map((vm) => ({ type: 'UserVm', id: vm.id, owner: vm.owner, tags: vm.tags })),
      ...[...world.volumes.values()].map(({ id, owner, tags }) => ({ type: 'Volume', id, owner, tags })),
      ...[...site.networks.values()].map(({ id, owner, tags }) => ({
        type: 'Network',
        id,
        owner: owner ?? siteOwner,
        tags,
      })),
      ...[...site.templates.values()].map(({ id, owner, tags }) => ({ type: 'Template', id, owner, tags })),
    ];
    const lines = all
      .filter(
        ({ type, id, owner }) =>
          mine(owner) &&
          (!given.has('resourceid') || id === given.text('resourceid')) &&
          (!given.has('resourcetype') || type.toLowerCase() === given.text('resourcetype')?.toLowerCase()),
      )
      .flatMap(({ type, id, owner, tags }) => tagList(tags, type, id, owner, site))
      .filter(
        ({ key, value }) =>
          (!given.has('key') || key === given.text('key')) &&
          (!given.has('value') || value === given.text('value')) &&
          contains(String(key), given.text('keyword')),
      );
    return pageOf(given, settings.pageSize, 'tag', lines, (line) => line);
  },
};

export const tagCalls: readonly Command[] = [createTags, deleteTags, listTags];
