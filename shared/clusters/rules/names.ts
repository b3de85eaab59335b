/** Names: what Kubernetes allows and Azure does not, and the reverse. */
import { quoteInput } from '../../base/problems.ts';
import type { ClusterRequest } from '../request/request.ts';
import { longestNodeResourceGroup, usualNodeResourceGroup } from '../resolved/names.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';

const kubernetesName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const azureCluster = /^[a-zA-Z0-9]([-_a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
const azureGroup = /^[-\w.()]{0,89}[-\w()]$/;
const dnsPrefix = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?$/;
/** Names that Azure keeps for itself, anywhere in the name of a resource group or at the beginning of a cluster's. */
const reserved = /^(microsoft|windows)|^login|azure$/i;

export function checkNames({ metadata, spec }: ClusterRequest, resolved: Resolved, report: Report): void {
  const { name, namespace } = metadata;
  if (typeof name !== 'string' || name.length > 253 || !kubernetesName.test(name)) {
    const cause = `${quoteInput(name)} is not a name that Kubernetes allows`;
    const fix = 'use lowercase letters, digits, dashes and dots; spec.clusterName may have upper case and underscores';
    report('error', 'RequestNameInvalid', 'metadata.name', cause, fix);
  }
  if (typeof namespace !== 'string' || !namespaceName.test(namespace)) {
    const cause = `${quoteInput(namespace)} is not the name of a namespace`;
    report('error', 'RequestNameInvalid', 'metadata.namespace', cause, 'name the namespace of the team');
  }
  const clusterField = spec.clusterName === undefined ? 'metadata.name' : 'spec.clusterName';
  const goodCluster = azureCluster.test(resolved.clusterName);
  if (!goodCluster) {
    const cause = `${quoteInput(resolved.clusterName)} is not a name that Azure allows for a cluster`;
    const rule = '1 to 63 letters, digits, dashes and underscores, with a letter or digit at both ends';
    const fix = spec.clusterName === undefined ? `set spec.clusterName to one that it allows: ${rule}` : `use ${rule}`;
    report('error', 'ClusterNameInvalid', clusterField, cause, fix);
  } else if (reserved.test(resolved.clusterName)) {
    const cause = `Azure reserves names such as ${quoteInput(resolved.clusterName)}`;
    report('error', 'ClusterNameInvalid', clusterField, cause, 'use a name without microsoft, windows, login or azure');
  }
  const wrongGroup = 'use 1 to 90 letters, digits and - _ . ( ), without a dot at the end';
  // A default that is wrong follows from the cluster's name, which is reported already.
  if (!azureGroup.test(resolved.resourceGroup) && (spec.resourceGroup !== undefined || goodCluster)) {
    const cause = `${quoteInput(resolved.resourceGroup)} is not a name that Azure allows for a resource group`;
    report('error', 'ResourceGroupNameInvalid', 'spec.resourceGroup', cause, wrongGroup);
  }
  checkNodeResourceGroup(spec.nodeResourceGroup, resolved, report, wrongGroup);
  if (!dnsPrefix.test(resolved.dnsPrefix) && (spec.dnsPrefix !== undefined || goodCluster)) {
    const cause = `${quoteInput(resolved.dnsPrefix)} is not a DNS prefix that Azure allows`;
    const fix = 'use 1 to 54 letters, digits and dashes, with a letter or digit at both ends; no dots or underscores';
    report('error', 'DnsPrefixInvalid', 'spec.dnsPrefix', cause, fix);
  }
}

function checkNodeResourceGroup(
  given: string | undefined,
  resolved: Resolved,
  report: Report,
  wrongGroup: string,
): void {
  const { resourceGroup, clusterName, location } = resolved;
  if (given === undefined) return;
  const field = 'spec.nodeResourceGroup';
  if (!azureGroup.test(given)) {
    const cause = `${quoteInput(given)} is not a name that Azure allows for a resource group`;
    report('error', 'NodeResourceGroupInvalid', field, cause, wrongGroup);
  } else if (given.length > longestNodeResourceGroup) {
    const cause = `it has ${given.length} characters, and AKS allows ${longestNodeResourceGroup}`;
    report(
      'error',
      'NodeResourceGroupInvalid',
      field,
      cause,
      'shorten it, or remove it: a name that fits is chosen then',
    );
  } else if (given.toLowerCase() === resourceGroup.toLowerCase()) {
    const cause = 'it is the resource group of the cluster itself';
    const fix = `use another name, or remove it: AKS then uses ${usualNodeResourceGroup(resourceGroup, clusterName, location)}`;
    report('error', 'NodeResourceGroupInvalid', field, cause, fix);
  }
}
