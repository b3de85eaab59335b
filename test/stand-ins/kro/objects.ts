/** A platform on KRO, as the internal ones are: a graph that makes a resource group and a cluster, and instances of it. */
import type { JsonObject } from '../../../shared/base/json.ts';

/** A field of the instance, as a template names it. */
export const ofInstance = (path: string): string => `$\{schema.${path}}`;

export interface PlatformKind {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

export const platformKind: PlatformKind = {
  group: 'kro.run',
  version: 'v1alpha1',
  plural: 'aksclusters',
  kind: 'AKSCluster',
  namespaced: true,
};

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** What KRO makes of a graph: a definition, here without its schema. */
export const definitionOf = ({ group, version, plural, kind, namespaced }: PlatformKind): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, labels: { 'kro.run/owned': 'true' } },
  spec: {
    group,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
});

/** For an API server without the real definition. */
export const graphDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'resourcegraphdefinitions.kro.run' },
  spec: {
    group: 'kro.run',
    scope: 'Cluster',
    names: {
      kind: 'ResourceGraphDefinition',
      plural: 'resourcegraphdefinitions',
      singular: 'resourcegraphdefinition',
      listKind: 'ResourceGraphDefinitionList',
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

export interface PlatformOptions {
  clusterVersion?: string;
  /** Beside or in place of what the graph says of the cluster. */
  cluster?: JsonObject;
  /** Beside the metadata of both objects. */
  metadata?: JsonObject;
  groupName?: string;
  kind?: string;
  graphName?: string;
}

export function platformGraph({
  clusterVersion = 'v1api20250801',
  cluster = {},
  metadata = {},
  groupName = `rg-${ofInstance('spec.clusterName')}`,
  kind = platformKind.kind,
  graphName = 'aks-cluster',
}: PlatformOptions = {}): JsonObject {
  return {
    apiVersion: 'kro.run/v1alpha1',
    kind: 'ResourceGraphDefinition',
    metadata: { name: graphName },
    spec: {
      schema: {
        apiVersion: 'v1alpha1',
        kind,
        spec: {
          clusterName: 'string | required=true',
          location: 'string | required=true',
          kubernetesVersion: 'string',
          nodePoolType: 'string',
        },
      },
      resources: [
        {
          id: 'group',
          template: {
            apiVersion: 'resources.azure.com/v1api20200601',
            kind: 'ResourceGroup',
            metadata: { name: groupName, ...metadata },
            spec: { location: ofInstance('spec.location'), tags: { 'cost-center': 'platform' } },
          },
        },
        {
          id: 'cluster',
          template: {
            apiVersion: `containerservice.azure.com/${clusterVersion}`,
            kind: 'ManagedCluster',
            metadata: { name: ofInstance('spec.clusterName'), ...metadata },
            spec: {
              location: ofInstance('spec.location'),
              owner: { name: groupName },
              dnsPrefix: ofInstance('spec.clusterName'),
              kubernetesVersion: ofInstance('spec.kubernetesVersion'),
              identity: { type: 'SystemAssigned' },
              tags: { 'cost-center': 'platform' },
              networkProfile: {
                networkPlugin: 'azure',
                networkPluginMode: 'overlay',
                networkDataplane: 'cilium',
                networkPolicy: 'cilium',
              },
              nodeProvisioningProfile: { mode: 'Auto', defaultNodePools: 'None' },
              agentPoolProfiles: [
                { name: 'systempool', mode: 'System', count: 2, vmSize: 'Standard_D4s_v5', osType: 'Linux' },
              ],
              ...cluster,
            },
          },
        },
      ],
    },
  };
}

export const platformInstance = (
  name: string,
  namespace: string,
  spec: JsonObject = {},
  kind = platformKind.kind,
): JsonObject => ({
  apiVersion: 'kro.run/v1alpha1',
  kind,
  metadata: { name, namespace },
  spec: {
    clusterName: name,
    location: 'westeurope',
    kubernetesVersion: '1.35',
    nodePoolType: 'standard',
    ...spec,
  },
});

/** The simulated API server has no roles of its own. */
export const roleDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'clusterroles.rbac.authorization.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, only for a test' },
  },
  spec: {
    group: 'rbac.authorization.k8s.io',
    scope: 'Cluster',
    names: { kind: 'ClusterRole', plural: 'clusterroles', singular: 'clusterrole', listKind: 'ClusterRoleList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { ...open } } }],
  },
};
