/** The names of the objects of one request. */
import { objectName, shortened, stableGuid } from '../resolved/names.ts';

export const objectNames = (request: string) => ({
  resourceGroup: shortened(`rg-${request}`),
  identity: objectName(request, 'identity'),
  cluster: shortened(request),
  /** Secret with the kubeconfig, as Flux and Cluster API read it: under `value`. */
  kubeconfig: objectName(request, 'kubeconfig'),
  /** ConfigMap with the URL of the OIDC issuer. */
  oidc: objectName(request, 'oidc'),
  nodeClass: objectName(request, 'nodeclass'),
  nodePool: objectName(request, 'nodepool'),
  flux: objectName(request, 'flux'),
  gitOps: objectName(request, 'gitops'),
});

/** Azure allows upper case and underscores in the name of a credential, Kubernetes does not. */
export function credentialObjectName(request: string, azureName: string): string {
  const lower = azureName.toLowerCase().replaceAll('_', '-').replace(/-+$/, '');
  return objectName(request, lower === azureName ? lower : `${lower}-${stableGuid(azureName).slice(0, 8)}`);
}

export const rolePurposes = ['subnet', 'pod-subnet', 'dns-zone'] as const;

/** Azure wants a GUID. It derives from what does not change for as long as the cluster lives. */
export const roleAssignmentName = (
  { uid, seed = uid }: { uid: string; seed?: string | undefined },
  purpose: (typeof rolePurposes)[number],
  scope: string,
): string => stableGuid(seed, purpose, scope.toLowerCase());

export const kubeconfigKey = 'value';
