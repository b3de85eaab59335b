/** What the manifests of AKS and Arc have in common. */

import type { Environment } from '../../base/environment.ts';
import type * as Fields from '../../base/fields.ts';

type FieldMakers = typeof Fields;

const placeFields = ({ text, optional }: FieldMakers) => ({
  subscription: optional(text),
  resourceGroup: optional(text),
  clusterName: optional(text),
  location: optional(text),
});

export const poolOptions = (fields: FieldMakers) => {
  const { text, path, flag, count, oneOf, httpsUrl, optional, section } = fields;
  return {
    ...placeFields(fields),
    tenant: optional(text),
    credential: section({
      type: optional(oneOf(['workload-identity', 'managed-identity', 'client-secret', 'default'])),
      clientId: optional(text),
      resourceId: optional(text),
      tokenFile: optional(path),
      secretVariable: optional(text),
      secretFile: optional(path),
    }),
    cloud: section({
      name: optional(oneOf(['public', 'us-government', 'china'])),
      authorityHost: optional(httpsUrl),
      armEndpoint: optional(httpsUrl),
      audience: optional(text),
      pricesUrl: optional(httpsUrl),
    }),
    certificateAuthority: optional(path),
    operationsAtOnce: optional(count(1, 100)),
    unlabelledAksNodeClasses: optional(flag),
    clusterMayBeAbsent: optional(flag),
    prices: optional(flag),
  };
};

/** Where agent pools are made. Whether Azure has such a name is for the provider to say. */
export const azureSection = {
  section: 'azure',
  fields: (fields: FieldMakers) => ({ ...placeFields(fields), customLocation: fields.optional(fields.text) }),
} as const;

/**
 * gpu-provisioner's own variables: they keep their names, and where no provider is configured they imply both, so that the cluster's
 * setting can switch between them. Usually there is a cluster of one type only. The values themselves are read by the provider.
 */
export function gpuProvisionerEnvironment(type: 'aks' | 'arc') {
  return (env: Environment): { problem?: string; implied?: { clusterMayBeAbsent?: true } } => {
    const wanted = env.AZURE_PROVIDER_TYPE || 'aks';
    if (wanted !== 'aks' && wanted !== 'arc') {
      return { problem: `invalid provider type: ${wanted}, must be 'aks' or 'arc'` };
    }
    if (!env.ARM_SUBSCRIPTION_ID && !env.AZURE_PROVIDER_TYPE) return {};
    return { implied: wanted === type ? {} : { clusterMayBeAbsent: true } };
  };
}

export const poolFlags = {
  subscription: {
    flag: '--subscription <id>',
    text: 'the subscription of the cluster',
    ask: 'Subscription of the cluster',
  },
  resourceGroup: {
    flag: '--resource-group <name>',
    text: 'the resource group of the cluster',
    ask: 'Resource group of the cluster',
  },
  clusterName: {
    flag: '--cluster-name <name>',
    text: 'the name of the cluster in its cloud',
    ask: 'Name of the cluster in Azure',
  },
} as const;

export const examplePlace = {
  subscription: '00000000-0000-0000-0000-000000000000',
  resourceGroup: 'g',
  clusterName: 'c',
} as const;
