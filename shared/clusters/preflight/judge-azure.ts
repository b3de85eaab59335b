/** What Azure's answers mean for a request: location, version, resource providers, names. Pure. */
import { writeOr } from '../../base/nearest.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { type Owner, tagsOf } from '../resolved/tags.ts';
import type { AksVersion, FoundResource } from './azure-facts.ts';
import { type Check, likely, unlikely, warning } from './check.ts';

export function judgeLocation({ location }: Resolved, locations: readonly string[]): Check[] {
  if (locations.includes(location)) return [likely('location', `AKS is offered in ${location}`)];
  const cause = `AKS is not offered in ${location} for this subscription`;
  const fix = writeOr(location, locations, 'use a location that has AKS: az account list-locations');
  return [unlikely('location', 'LocationInvalid', cause, fix, 'spec.location')];
}

export function judgeVersion(
  { kubernetesVersion, location, supportPlan }: Resolved,
  versions: readonly AksVersion[],
): Check[] {
  const name = 'kubernetes-version';
  const offered = versions.filter(({ preview }) => !preview).map(({ minor }) => minor);
  const list = offered.join(', ');
  if (kubernetesVersion === undefined) return [likely(name, `AKS chooses the version; ${location} offers ${list}`)];
  const field = 'spec.kubernetesVersion';
  const refused = (cause: string, fix: string): Check[] => [
    unlikely(name, 'KubernetesVersionUnsupported', cause, fix, field),
  ];
  const minor = kubernetesVersion.split('.').slice(0, 2).join('.');
  const found = versions.find((one) => one.minor === minor);
  if (found === undefined) {
    return refused(`AKS does not offer ${minor} in ${location}`, `use one of ${list}, or remove the field`);
  }
  if (kubernetesVersion !== minor && !found.patches.includes(kubernetesVersion)) {
    const cause = `AKS does not offer ${kubernetesVersion} in ${location}`;
    return refused(cause, `use ${[minor, ...found.patches].join(' or ')}`);
  }
  // An old answer names no plans, and then nothing speaks against one.
  if (found.supportPlans.length > 0 && !found.supportPlans.includes(supportPlan)) {
    const plans = found.supportPlans.join(' and ');
    return refused(
      `${minor} has the support plan ${plans} in ${location}, not ${supportPlan}`,
      `set supportPlan: ${found.supportPlans[0]}, or use one of ${list}`,
    );
  }
  if (found.preview) {
    const cause = `${minor} is a preview in ${location}, without support`;
    return [warning(name, 'KubernetesVersionUnsupported', cause, `use one of ${list}`, field)];
  }
  return [likely(name, `AKS offers ${kubernetesVersion} in ${location}`)];
}

export function judgeProviders(resolved: Resolved, states: Readonly<Record<string, string>>): Check[] {
  const flux = resolved.gitOps?.mode === 'extension' || resolved.addOns.flux === true;
  const needed = [
    'Microsoft.ContainerService',
    'Microsoft.Compute',
    'Microsoft.Network',
    'Microsoft.ManagedIdentity',
    ...(flux ? ['Microsoft.KubernetesConfiguration'] : []),
  ];
  const missing = needed.filter((one) => states[one.toLowerCase()] !== 'Registered');
  if (missing.length === 0) return [likely('resource-providers', `${needed.join(', ')} are registered`)];
  return missing.map((one) =>
    unlikely(
      'resource-providers',
      'ProviderNotRegistered',
      `the subscription has not registered ${one} (${states[one.toLowerCase()] ?? 'NotRegistered'})`,
      `az provider register --namespace ${one}`,
    ),
  );
}

/** @param owner Whose tags prove that what is there was made for this request; absent before the request exists. */
export function judgeNames(
  { resourceGroup, clusterName, location }: Resolved,
  owner: Owner | undefined,
  { group, cluster }: { group: FoundResource | undefined; cluster: FoundResource | undefined },
): Check[] {
  const isOurs = ({ tags }: FoundResource): boolean =>
    owner !== undefined && Object.entries(tagsOf(owner)).every(([name, value]) => tags[name] === value);
  const taken = (what: string, field: string): Check =>
    unlikely(
      'names',
      'ClusterNotOurs',
      `${what} exists already, and this request did not make it`,
      'use another name; what exists is left as it is',
      field,
    );
  const checks: Check[] = [];
  if (group !== undefined && !isOurs(group))
    checks.push(taken(`resource group ${resourceGroup}`, 'spec.resourceGroup'));
  else if (group !== undefined && group.location !== location) {
    const cause = `resource group ${resourceGroup} is in ${group.location}, and the request asks for ${location}`;
    checks.push(
      unlikely('names', 'ChangeNotPossible', cause, 'a group cannot move: use another name', 'spec.location'),
    );
  }
  if (cluster !== undefined && !isOurs(cluster)) checks.push(taken(`cluster ${clusterName}`, 'spec.clusterName'));
  if (checks.length > 0) return checks;
  const state = group === undefined ? 'are free' : 'were made for this request';
  return [likely('names', `resource group ${resourceGroup} and cluster ${clusterName} ${state}`)];
}
