/** Identity, access, add-ons and tags: what Azure needs to be given, and how it wants it written. */
import { writeOr } from '../../base/nearest.ts';
import { quoteInput } from '../../base/problems.ts';
import type { ClusterRequest } from '../request/request.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';

const arm = (provider: string): RegExp =>
  new RegExp(`^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/${provider.replaceAll('.', '\\.')}/[^/]+$`, 'i');
const identityId = arm('Microsoft.ManagedIdentity/userAssignedIdentities');
const workspaceId = arm('Microsoft.OperationalInsights/workspaces');
const dnsZoneId =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Network\/(private)?dnszones\/[^/]+$/i;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const serviceAccount = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const credentialName = /^[a-zA-Z0-9][-_a-zA-Z0-9]{2,119}$/;

export function checkIdentity({ identity, network, nodes, addOns }: Resolved, report: Report): void {
  const wrong = (field: string, cause: string, fix: string): void =>
    report('error', 'IdentityInvalid', `spec.identity.${field}`, cause, fix);
  if (identity.type === 'SystemAssigned') {
    if (identity.resourceID !== undefined) {
      wrong('resourceID', 'an identity of the system has no id of yours', 'remove it, or set type: UserAssigned');
    }
    if (network.subnetID !== undefined) {
      const need = nodes === 'nap' ? 'node auto-provisioning and the cluster need' : 'the cluster needs';
      wrong('type', `${need} a role on the subnet before the identity of the system exists`, 'use UserAssigned');
    }
    if (typeof network.privateDNSZone === 'string' && network.privateDNSZone.startsWith('/')) {
      wrong(
        'type',
        'the cluster needs a role on the DNS zone before the identity of the system exists',
        'use UserAssigned',
      );
    }
  }
  if (identity.resourceID !== undefined) {
    if (!identityId.test(identity.resourceID)) {
      const shape = '/subscriptions/…/resourceGroups/…/providers/Microsoft.ManagedIdentity/userAssignedIdentities/…';
      wrong(
        'resourceID',
        `${quoteInput(identity.resourceID)} is not the ARM id of an identity`,
        `write it as ${shape}`,
      );
    }
    if (network.subnetID !== undefined) {
      const cause = 'the role on the subnet of an identity that exists is yours to give';
      const fix = 'give it Network Contributor on the subnet before the request is carried out';
      report('warning', 'IdentityInvalid', 'spec.identity.resourceID', cause, fix);
    }
  }
  if (identity.federatedCredentials.length === 0) return;
  if (identity.type === 'SystemAssigned' || identity.resourceID !== undefined) {
    const cause = 'federated credentials belong to the identity that is created for the cluster, and none is';
    wrong('federatedCredentials', cause, 'remove them, or use UserAssigned without resourceID');
  }
  if (!addOns.workloadIdentity) {
    wrong('federatedCredentials', 'they need workload identity, which is off', 'remove addOns.workloadIdentity: false');
  }
  const names = new Set<string>();
  for (const [index, one] of identity.federatedCredentials.entries()) {
    const at = `federatedCredentials[${index}]`;
    if (!credentialName.test(one.name)) {
      wrong(
        `${at}.name`,
        `${quoteInput(one.name)} is not a name that Azure allows`,
        'use 3 to 120 letters, digits, dashes and underscores',
      );
    }
    const lower = one.name.toLowerCase();
    if (names.has(lower))
      wrong(`${at}.name`, `${quoteInput(one.name)} occurs twice, and Azure ignores case`, 'use different names');
    names.add(lower);
    if (!serviceAccount.test(one.serviceAccount)) {
      wrong(
        `${at}.serviceAccount`,
        `${quoteInput(one.serviceAccount)} is not a service account`,
        'write it as namespace/name',
      );
    }
    if (one.audience === '') wrong(`${at}.audience`, 'it is empty', 'remove it');
  }
}

export function checkAccess({ access, gitOps }: Resolved, report: Report): void {
  const groups = access.adminGroupObjectIDs ?? [];
  const wrong = (field: string, cause: string, fix: string): void =>
    report('error', 'AccessInvalid', field, cause, fix);
  for (const [index, group] of groups.entries()) {
    if (!guid.test(group)) {
      wrong(
        `spec.access.adminGroupObjectIDs[${index}]`,
        `${quoteInput(group)} is not an object id`,
        'use the object id of the group, not its name',
      );
    }
  }
  if (access.disableLocalAccounts === true && groups.length === 0 && access.azureRBAC !== true) {
    wrong(
      'spec.access.disableLocalAccounts',
      'no user could use the cluster then',
      'set adminGroupObjectIDs, or azureRBAC: true',
    );
  }
  if (access.disableLocalAccounts === true && gitOps?.mode === 'remote') {
    const cause = 'Flux in the management cluster needs the certificate of the administrator, which is switched off';
    wrong('spec.gitOps.mode', cause, 'use mode: extension, or keep local accounts');
  }
}

/** Add-on profiles that have a field of their own, by the names of Azure. */
const profilesWithField: ReadonlyMap<string, string> = new Map([
  ['omsagent', 'monitoring'],
  ['azurepolicy', 'azurePolicy'],
  ['azurekeyvaultsecretsprovider', 'keyVaultSecretsProvider'],
]);

export function checkAddOns({ addOns }: Resolved, report: Report): void {
  const wrong = (name: string, cause: string, fix: string): void =>
    report('error', 'AddOnInvalid', `spec.addOns.${name}`, cause, fix);
  const workspace = (name: string, id: string | undefined): void => {
    if (id === undefined || workspaceId.test(id)) return;
    const shape = '/subscriptions/…/resourceGroups/…/providers/Microsoft.OperationalInsights/workspaces/…';
    wrong(`${name}.workspaceID`, `${quoteInput(id)} is not the ARM id of a workspace`, `write it as ${shape}`);
  };
  workspace('monitoring', addOns.monitoring?.workspaceID);
  workspace('defender', addOns.defender?.workspaceID);
  if (
    addOns.monitoring !== undefined &&
    addOns.monitoring.workspaceID === undefined &&
    addOns.monitoring.metrics !== true
  ) {
    wrong('monitoring', 'it switches nothing on', 'set workspaceID for logs, metrics: true for metrics, or remove it');
  }
  const interval = addOns.keyVaultSecretsProvider?.rotationInterval;
  if (interval !== undefined && !/^([0-9]+(s|m|h))+$/.test(interval)) {
    wrong(
      'keyVaultSecretsProvider.rotationInterval',
      `${quoteInput(interval)} is not a duration`,
      'write it as 2m or 1h',
    );
  }
  for (const [index, id] of (addOns.applicationRouting?.dnsZoneIDs ?? []).entries()) {
    if (dnsZoneId.test(id)) continue;
    wrong(
      `applicationRouting.dnsZoneIDs[${index}]`,
      `${quoteInput(id)} is not the ARM id of a DNS zone`,
      'use the id of a zone of Microsoft.Network/dnszones',
    );
  }
  for (const key of Object.keys(addOns.profiles ?? {})) {
    const own = profilesWithField.get(key.toLowerCase());
    if (own !== undefined)
      wrong(`profiles.${key}`, `this add-on has a field of its own: addOns.${own}`, `set addOns.${own} instead`);
    else if (!/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(key)) {
      wrong(
        `profiles["${key.slice(0, 80)}"]`,
        'it is not the name of an add-on',
        'use its name as AKS has it, in letters and digits',
      );
    }
  }
}

const mostTags = 50;
export const reservedTagPrefix = 'poolwright-';

/** @param own Number of tags that every request gets. */
export function checkTags({ tags }: Resolved, own: number, report: Report): void {
  const wrong = (field: string, cause: string, fix: string): void => report('error', 'TagInvalid', field, cause, fix);
  const names = Object.keys(tags);
  if (names.length > mostTags - own) {
    const cause = `${names.length} tags are too many: Azure allows ${mostTags}, and ${own} say whose the cluster is`;
    wrong('spec.tags', cause, `keep at most ${mostTags - own}`);
  }
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(tags)) {
    const at = `spec.tags["${name.slice(0, 80)}"]`;
    const lower = name.toLowerCase();
    if (name === '' || name.length > 512 || /[<>%&\\?/]/.test(name)) {
      wrong(at, 'it is not a name that Azure allows for a tag', 'use at most 512 characters, none of < > % & \\ ? /');
    } else if (/^(microsoft|azure|windows)/i.test(name))
      wrong(at, 'Azure keeps this prefix for itself', 'use another name');
    else if (lower.startsWith(reservedTagPrefix)) {
      wrong(at, `tags that begin with ${reservedTagPrefix} say whose the cluster is`, 'use another name');
    }
    if (seen.has(lower)) wrong(at, 'it occurs twice, and Azure ignores case in the names of tags', 'keep one');
    seen.add(lower);
    if (value.length > 256) wrong(at, `its value has ${value.length} characters, and Azure allows 256`, 'shorten it');
  }
}

const location = /^[a-z][a-z0-9]{2,39}$/;

export function checkPlace(
  { spec }: ClusterRequest,
  resolved: Resolved,
  known: readonly string[] | undefined,
  report: Report,
): void {
  const field = 'spec.location';
  const fix = 'use a location that has AKS: az account list-locations';
  if (!location.test(resolved.location)) {
    report('error', 'LocationInvalid', field, `${quoteInput(spec.location)} is not the name of a location`, fix);
  } else if (known !== undefined && !known.includes(resolved.location)) {
    const cause = `AKS is not offered in ${quoteInput(spec.location)} for this subscription`;
    report('error', 'LocationInvalid', field, cause, writeOr(resolved.location, known, fix));
  }
  if (
    resolved.lifetime !== undefined &&
    !/^([0-9]+(s|m|h))*[1-9][0-9]*(s|m|h)([0-9]+(s|m|h))*$/.test(resolved.lifetime)
  ) {
    const cause = `${quoteInput(resolved.lifetime)} is not a duration`;
    report('error', 'LifetimeInvalid', 'spec.lifetime', cause, 'write it in hours, minutes and seconds, such as 72h');
  }
  if (resolved.lifetime !== undefined && resolved.deleteGuard) {
    const cause = 'a guarded cluster is not deleted at the end of its lifetime';
    report('error', 'LifetimeInvalid', 'spec.lifetime', cause, 'remove lifetime, or remove deleteGuard');
  }
}
