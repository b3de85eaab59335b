/** The names of the objects of one request. */
import { objectName, shortened } from '../resolved/names.ts';

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

export const kubeconfigKey = 'value';
