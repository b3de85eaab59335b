/** What the generator has to know besides the request. */
import type { JsonObject } from '../../base/json.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { labelsOf, type Owner, tagsOf } from '../resolved/tags.ts';
import type { AsoKindName, Served } from './api-versions.ts';
import { type Manifest, placeAnnotations } from './manifest.ts';

export interface GenerateContext {
  /** Name of the deployment that carries the request out. */
  deployment: string;
  /** Of the request. */
  uid: string;
  /** What names derive from where that is not the uid: the uid of the request that this one continues. */
  seed?: string | undefined;
  /** Tags with the record of a request that is kept where it may be lost; for the group and the cluster. */
  recordTags?: Readonly<Record<string, string>> | undefined;
  /** What the management cluster serves; absent: what today's release does. */
  served?: Served;
  /**
   * What the operator may do in Azure: `skip` only looks, to learn whether a name is taken. Default: `manage`, and `detach-on-delete` for
   * a request with a delete guard.
   */
  policy?: 'manage' | 'skip' | 'detach-on-delete';
  /** The agent pools exist: their autoscaler moves their count, and we leave it alone. */
  poolsExist?: boolean;
}

export interface Generation {
  readonly resolved: Resolved;
  readonly context: GenerateContext;
  readonly owner: Owner;
  /** Everything that is made in Azure has these. */
  readonly tags: Record<string, string>;
  /** One object for Azure Service Operator. */
  aso(kind: AsoKindName, name: string, spec: JsonObject, apiVersion: string): Manifest;
  /** One object that is none of Azure's, in the namespace of the request if it has one. */
  plain(apiVersion: string, kind: string, name: string, spec: JsonObject, namespace?: string): Manifest;
}

const reconcilePolicy = 'serviceoperator.azure.com/reconcile-policy';
const credentialFrom = 'serviceoperator.azure.com/credential-from';

export function generation(resolved: Resolved, context: GenerateContext): Generation {
  const { name, namespace, deleteGuard, aso } = resolved;
  const owner: Owner = { deployment: context.deployment, namespace, name, uid: context.uid, seed: context.seed };
  const annotations = {
    [reconcilePolicy]: context.policy ?? (deleteGuard ? 'detach-on-delete' : 'manage'),
    ...(aso.credentialFrom === undefined ? {} : { [credentialFrom]: aso.credentialFrom }),
    [placeAnnotations.resourceGroup]: resolved.resourceGroup,
    [placeAnnotations.cluster]: resolved.clusterName,
  };
  return {
    resolved,
    context,
    owner,
    tags: { ...resolved.tags, ...tagsOf(owner) },
    aso: (kind, objectName, spec, apiVersion) => ({
      apiVersion,
      kind,
      metadata: { name: objectName, namespace, labels: labelsOf(owner), annotations: { ...annotations } },
      spec,
    }),
    plain: (apiVersion, kind, objectName, spec, inNamespace) => ({
      apiVersion,
      kind,
      metadata: {
        name: objectName,
        ...(inNamespace === undefined ? {} : { namespace: inNamespace }),
        labels: labelsOf(owner),
      },
      spec,
    }),
  };
}
