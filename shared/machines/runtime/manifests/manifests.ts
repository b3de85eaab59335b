/** From a Provider to everything that its process needs in the cluster. Pure: the same Provider gives the same objects. */
import type { Json } from '../../../base/json.ts';
import { configMaps, deployments, podDisruptionBudgets, type Resource } from '../../../kube/contract.ts';
import {
  labelsOf,
  networkPolicies,
  networkPolicyAnnotation,
  ownerOf,
  type ProviderObject,
  serviceAccounts,
  services,
} from '../object.ts';
import { budgetSpec, policySpec, serviceSpec } from './around.ts';
import { deploymentSpec } from './deployment.ts';
import { settingsOf } from './environment.ts';

/** How calls are protected. */
export type RuntimeTls =
  | {
      kind: 'mutual';
      /** With tls.crt, tls.key and ca.crt. */
      secret: string;
      /** Clients that the provider serves; absent: every client with a certificate of the authority. */
      client?: string;
    }
  | { kind: 'plain' };

export interface RuntimePlan {
  provider: ProviderObject;
  /** Of every object. */
  name: string;
  /** Labels of the pods, which a Deployment that exists has fixed. */
  selector: Record<string, string>;
  tls: RuntimeTls;
}

export interface RuntimeObject {
  resource: Resource;
  manifest: Json;
}

/** In the order in which they are applied: a pod finds what it refers to. */
export function runtimeObjects(plan: RuntimePlan): RuntimeObject[] {
  const { provider } = plan;
  const metadata = {
    name: plan.name,
    namespace: provider.metadata.namespace,
    labels: labelsOf(provider),
    ownerReferences: [ownerOf(provider)],
  };
  const object = (resource: Resource, content: { [field: string]: Json }): RuntimeObject => ({
    resource,
    manifest: {
      apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata,
      ...content,
    },
  });
  return [
    object(serviceAccounts, { automountServiceAccountToken: false }),
    object(configMaps, { data: settingsOf(provider) }),
    object(services, { spec: serviceSpec(plan) }),
    object(podDisruptionBudgets, { spec: budgetSpec(plan) }),
    ...(wantsPolicy(provider) ? [object(networkPolicies, { spec: policySpec(plan) })] : []),
    object(deployments, { spec: deploymentSpec(plan) }),
  ];
}

export const wantsPolicy = ({ metadata }: ProviderObject): boolean =>
  metadata.annotations?.[networkPolicyAnnotation] === 'true';
