/** Things by their ids, and whose they are. */
import type { Account, Owner, Site } from '../site/types.ts';
import type { Arguments } from '../wire/fields.ts';
import { invalid, notPermitted } from '../wire/refusals.ts';
import { sameOwner } from '../world.ts';
import type { Call, Parts } from './command.ts';

export const isAdmin = ({ role }: Account): boolean => role === 'Root Admin';

export const ownerOfAccount = (account: Account): Owner => ({ account: account.name, domainId: account.domainId });

/** The one with the id in that parameter; refuses what is not there. */
export function byId<T>(given: Arguments, name: string, all: ReadonlyMap<string, T>): T | undefined {
  const id = given.text(name);
  if (id === undefined) return undefined;
  const found = all.get(id);
  if (found === undefined) throw given.badValue(name, id);
  return found;
}

export function needed<T>(given: Arguments, name: string, all: ReadonlyMap<string, T>): T {
  const found = byId(given, name, all);
  if (found === undefined) throw given.badValue(name, '');
  return found;
}

/** For whom a thing is made: the caller, a project of the caller's, or for administrators any account. */
export function ownerFor({ given, caller, admin }: Call, site: Site): Owner {
  const project = projectOf({ given, caller, admin }, site);
  if (project !== undefined) return { ...ownerOfAccount(caller), domainId: project.domainId, projectId: project.id };
  const account = given.text('account');
  if (account === undefined) return ownerOfAccount(caller);
  const domainId = given.text('domainid');
  if (domainId === undefined) throw invalid('The parameter account must be used with the parameter domainid');
  const found = [...site.accounts.values()].find((one) => one.name === account && one.domainId === domainId);
  if (found === undefined) throw invalid(`Unable to find account ${account} in domain ${domainId}`);
  if (!admin && found.id !== caller.id) throw noRight(caller, 'account', found.id);
  return ownerOfAccount(found);
}

function projectOf({ given, caller, admin }: Pick<Call, 'given' | 'caller' | 'admin'>, site: Site) {
  const id = given.text('projectid');
  if (id === undefined || id === '-1') return undefined;
  const project = byId(given, 'projectid', site.projects);
  if (project !== undefined && !admin && !project.accounts.includes(caller.name)) {
    throw notPermitted(`Account ${caller.name} can't access project id=${id}`);
  }
  return project;
}

export const noRight = (caller: Account, what: string, id: string): Error =>
  notPermitted(
    `Acct[${caller.id}-${caller.name}] -- Account {"id":"${caller.id}"} does not have permission to operate with resource ${what} [${id}].`,
  );

/** Whether a list of the caller's shows what is this owner's. */
export function listFilter(call: Call, { site }: Parts): (owner: Owner) => boolean {
  const { given, caller, admin } = call;
  const all = given.flag('listall') === true;
  if (given.text('projectid') === '-1') {
    const mine = new Set(
      [...site.projects.values()].filter((one) => admin || one.accounts.includes(caller.name)).map(({ id }) => id),
    );
    return ({ projectId }) => projectId !== undefined && mine.has(projectId);
  }
  const project = projectOf(call, site);
  if (project !== undefined) return ({ projectId }) => projectId === project.id;
  if (given.has('account')) {
    const wanted = ownerFor(call, site);
    return (owner) => sameOwner(owner, wanted);
  }
  if (admin && given.has('domainid')) {
    const domain = needed(given, 'domainid', site.domains);
    return ({ domainId, projectId }) => domainId === domain.id && projectId === undefined;
  }
  if (admin && all) return ({ projectId }) => projectId === undefined;
  const own = ownerOfAccount(caller);
  return (owner) => sameOwner(owner, own);
}

/** Whether the caller may act on what is this owner's. */
export function mayUse(owner: Owner, { caller, admin }: Pick<Call, 'caller' | 'admin'>, site: Site): boolean {
  if (admin) return true;
  if (owner.projectId !== undefined) return site.projects.get(owner.projectId)?.accounts.includes(caller.name) === true;
  return sameOwner(owner, ownerOfAccount(caller));
}

/** CloudStack joins tag filters by OR: whoever has one of them is in the list. */
export function tagFilter(given: Arguments): (tags: Readonly<Record<string, string>>) => boolean {
  const wanted = given.pairs('tags');
  if (wanted.length === 0) return () => true;
  return (tags) => wanted.some(({ key, value }) => key in tags && (value === undefined || tags[key] === value));
}

/** Part of a text, whatever its capitals. */
export const contains = (text: string, part: string | undefined): boolean =>
  part === undefined || text.toLowerCase().includes(part.toLowerCase());
