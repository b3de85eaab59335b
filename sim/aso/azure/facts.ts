/** What Azure makes up by itself for a new resource. The same for the same resource, so that a run can be repeated. */
import { createHash } from 'node:crypto';
import { asObject, type Json, type JsonObject } from '../../../shared/base/json.ts';
import type { AzureResource } from './resource.ts';

/** Newest patches of the minor versions that requests name; others get a patch of 0. */
const newestPatch: Readonly<Record<string, string>> = { '1.34': '1.34.7', '1.35': '1.35.4', '1.36': '1.36.2' };
const usualVersion = '1.35';

const digest = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex');

export function guid(...parts: readonly (string | number)[]): string {
  const hex = digest(...parts);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Major and minor alone mean the newest patch. */
export function patchOf(version: string): string {
  const wanted = version === '' ? usualVersion : version;
  return wanted.split('.').length > 2 ? wanted : (newestPatch[wanted] ?? `${wanted}.0`);
}

export function factsOf({ type, id, seq, body, name, facts }: AzureResource, tenant: string): JsonObject {
  switch (type) {
    case 'Microsoft.ManagedIdentity/userAssignedIdentities':
      return { principalId: guid(id, seq, 'principal'), clientId: guid(id, seq, 'client'), tenantId: tenant };
    case 'Microsoft.ContainerService/managedClusters':
      return clusterFacts({ id, seq, body, name, facts }, tenant);
    case 'Microsoft.KubernetesConfiguration/extensions':
      return { currentVersion: '1.16.2', releaseTrain: 'Stable' };
    case 'Microsoft.KubernetesConfiguration/fluxConfigurations':
      return { complianceState: 'Compliant', sourceSyncedCommitId: `main@sha1:${digest(id, seq).slice(0, 40)}` };
    default:
      return {};
  }
}

function clusterFacts(
  { id, seq, body, name, facts }: Pick<AzureResource, 'id' | 'seq' | 'body' | 'name' | 'facts'>,
  tenant: string,
): JsonObject {
  const group = id.split('/')[4] ?? '';
  const location = textOf(body.location);
  const prefix = textOf(body.dnsPrefix) || textOf(body.fqdnSubdomain);
  const isPrivate = asObject(body.apiServerAccessProfile)?.enablePrivateCluster === true;
  const address = `${prefix}-${digest(id, seq).slice(0, 8)}`.toLowerCase();
  const identity = asObject(body.identity);
  const kubelet = { clientId: guid(id, seq, 'kubelet'), objectId: guid(id, seq, 'kubelet-object') };
  return {
    fqdn: `${address}.hcp.${location}.azmk8s.io`,
    azurePortalFQDN: `${address}.portal.hcp.${location}.azmk8s.io`,
    ...(isPrivate ? { privateFQDN: `${address}.privatelink.${location}.azmk8s.io` } : {}),
    currentKubernetesVersion: patchOf(textOf(body.kubernetesVersion)),
    nodeResourceGroup: textOf(body.nodeResourceGroup) || `MC_${group}_${name}_${location}`,
    powerState: { code: 'Running' },
    maxAgentPools: 100,
    resourceUID: digest(id, seq).slice(0, 24),
    eTag: guid(id, seq, JSON.stringify(body)),
    // An issuer once made stays, whatever is switched off later.
    ...(asObject(body.oidcIssuerProfile)?.enabled === true || facts.issuerURL !== undefined
      ? { issuerURL: `https://${location}.oic.prod-aks.azure.com/${tenant}/${guid(id, seq, 'issuer')}/` }
      : {}),
    ...(identity?.type === 'SystemAssigned' ? { principalId: guid(id, seq, 'principal'), tenantId: tenant } : {}),
    identityProfile: { kubeletidentity: kubelet },
  };
}
