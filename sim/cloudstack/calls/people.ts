/** Who there is, and what the server can do. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Account, Project, Site } from '../site/types.ts';
import { timeText } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import type { Command, Parts } from './command.ts';
import { byId, contains, isAdmin } from './finding.ts';
import { limitFields } from './limits.ts';

const installed = timeText(Date.UTC(2025, 0, 1));
const paged = 'keyword:string page:integer pagesize:integer listall:boolean domainid:uuid isrecursive:boolean';

const seenBy = (caller: Account, account: Account): boolean => isAdmin(caller) || account.id === caller.id;

const listAccounts: Command = {
  name: 'listAccounts',
  isAsync: false,
  operation: 'types',
  params: `${paged} accounttype:integer apikeyaccess:string details:list id:uuid name:string state:string tag:string`,
  run: ({ given, caller }, parts) => {
    const { site, settings } = parts;
    const only = byId(given, 'id', site.accounts);
    const found = [...site.accounts.values()].filter(
      (account) =>
        seenBy(caller, account) &&
        (only === undefined || account === only) &&
        (!given.has('name') || account.name === given.text('name')) &&
        (!given.has('domainid') || account.domainId === given.text('domainid')) &&
        contains(account.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'account', found, (account) => ({
      id: account.id,
      name: account.name,
      ...kindOf(account),
      ...domainOf(account.domainId, site),
      state: 'enabled',
      created: installed,
      isdefault: account.name === 'admin',
      ...limitFields({ account: account.name, domainId: account.domainId }, parts),
      user: [showUser(account, site)],
    }));
  },
};

const kindOf = (account: Account): JsonObject => ({
  accounttype: isAdmin(account) ? 1 : 0,
  roletype: isAdmin(account) ? 'Admin' : 'User',
  rolename: account.role,
});

const domainOf = (id: string, site: Site): JsonObject =>
  defined({ domainid: id, domain: site.domains.get(id)?.name, domainpath: site.domains.get(id)?.path });

function showUser(account: Account, site: Site): JsonObject {
  const { domainpath: _, ...domain } = domainOf(account.domainId, site);
  return {
    id: account.userId,
    username: account.userName,
    firstname: account.userName,
    lastname: 'user',
    email: `${account.userName}@cs.example`,
    account: account.name,
    accountid: account.id,
    ...kindOf(account),
    ...domain,
    apikey: account.apiKey,
    state: 'enabled',
    created: installed,
    isdefault: account.name === 'admin',
    iscallerchilddomain: false,
    is2faenabled: false,
    is2famandated: false,
    usersource: 'native',
  };
}

const listUsers: Command = {
  name: 'listUsers',
  isAsync: false,
  operation: 'types',
  params: `${paged} account:string accounttype:integer apikeyaccess:string id:uuid state:string username:string usersource:string`,
  run: ({ given, caller }, { site, settings }) => {
    const found = [...site.accounts.values()].filter(
      (account) =>
        seenBy(caller, account) &&
        (!given.has('id') || account.userId === given.text('id')) &&
        (!given.has('username') || account.userName === given.text('username')) &&
        (!given.has('account') || account.name === given.text('account')),
    );
    return pageOf(given, settings.pageSize, 'user', found, (account) => showUser(account, site));
  },
};

const listDomains: Command = {
  name: 'listDomains',
  isAsync: false,
  operation: 'types',
  params:
    'details:list id:uuid keyword:string level:integer listall:boolean name:string page:integer pagesize:integer showicon:boolean tag:string',
  run: ({ given, caller }, { site, settings }) => {
    const only = byId(given, 'id', site.domains);
    const found = [...site.domains.values()].filter(
      (domain) =>
        (isAdmin(caller) || domain.id === caller.domainId) &&
        (only === undefined || domain === only) &&
        (!given.has('name') || domain.name === given.text('name')),
    );
    return pageOf(given, settings.pageSize, 'domain', found, ({ id, name, path, level, parentId }) =>
      defined({
        id,
        name,
        path,
        level,
        parentdomainid: parentId,
        haschild: [...site.domains.values()].some((one) => one.parentId === id),
        state: 'Active',
        created: installed,
      }),
    );
  },
};

const listProjects: Command = {
  name: 'listProjects',
  isAsync: false,
  operation: 'types',
  params: `${paged} account:string details:list displaytext:string id:uuid name:string showicon:boolean state:string tags:map username:string`,
  run: ({ given, caller }, parts) => {
    const { site, settings } = parts;
    const only = byId(given, 'id', site.projects);
    const found = [...site.projects.values()].filter(
      (project) =>
        (isAdmin(caller) || project.accounts.includes(caller.name)) &&
        (only === undefined || project === only) &&
        (!given.has('name') || project.name === given.text('name')) &&
        contains(project.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'project', found, (project) => ({
      ...showProject(project, site),
      ...limitFields({ account: '', domainId: project.domainId, projectId: project.id }, parts),
    }));
  },
};

function showProject(project: Project, site: Site): JsonObject {
  const { domainpath: _, ...domain } = domainOf(project.domainId, site);
  return {
    id: project.id,
    name: project.name,
    displaytext: project.name,
    ...domain,
    owner: project.accounts.slice(0, 1).map((account) => ({ account })),
    state: 'Active',
    created: installed,
    tags: [],
  };
}

const listCapabilities: Command = {
  name: 'listCapabilities',
  isAsync: false,
  operation: 'types',
  params: '',
  run: ({ admin }, { settings }: Parts) => ({
    object: {
      capability: defined({
        cloudstackversion: settings.version,
        securitygroupsenabled: false,
        dynamicrolesenabled: settings.refusedCommandCode === 401,
        userpublictemplateenabled: true,
        supportELB: 'false',
        projectinviterequired: false,
        allowusercreateprojects: true,
        customdiskofferingminsize: 1,
        customdiskofferingmaxsize: 1024,
        regionsecondaryenabled: false,
        apilimitinterval: settings.callLimit === null ? undefined : settings.callLimitSeconds,
        apilimitmax: settings.callLimit ?? undefined,
        kvmsnapshotenabled: true,
        allowuserviewdestroyedvm: admin || settings.userSeesDestroyed,
        allowuserexpungerecovervm: admin || settings.userMayExpunge,
        allowuserexpungerecovervolume: true,
        allowuserviewalldomainaccounts: false,
        allowuserforcestopvm: true,
        kubernetesserviceenabled: false,
        kubernetesclusterexperimentalfeaturesenabled: false,
        defaultuipagesize: 20,
        instancesstatsretentiontime: 720,
        instancesstatsuseronly: false,
        instancesdisksstatsretentionenabled: false,
        instancesdisksstatsretentiontime: 720,
        additionalconfigenabled: true,
        dynamicscalingenabled: true,
        instanceleaseenabled: settings.leases,
      }),
    },
  }),
};

export const peopleCalls: readonly Command[] = [listAccounts, listUsers, listDomains, listProjects, listCapabilities];
