/** What the manifests of AKS and Arc have in common. */

import type { Environment } from '../../base/environment.ts';
import type * as Fields from '../../base/fields.ts';

type FieldMakers = typeof Fields;

const placeFields = ({ text }: FieldMakers) => ({
  subscription: text.optional(),
  resourceGroup: text.optional(),
  clusterName: text.optional(),
  location: text.optional(),
});

export const poolOptions = (fields: FieldMakers) => {
  const { text, path, flag, count, object, oneOf, httpsUrl } = fields;
  return {
    ...placeFields(fields),
    tenant: text.optional(),
    credential: object({
      type: oneOf(['workload-identity', 'managed-identity', 'client-secret', 'default']).optional(),
      clientId: text.optional(),
      resourceId: text.optional(),
      tokenFile: path.optional(),
      secretVariable: text.optional(),
      secretFile: path.optional(),
    }).prefault({}),
    cloud: object({
      name: oneOf(['public', 'us-government', 'china']).optional(),
      authorityHost: httpsUrl.optional(),
      armEndpoint: httpsUrl.optional(),
      audience: text.optional(),
      pricesUrl: httpsUrl.optional(),
    }).prefault({}),
    certificateAuthority: path.optional(),
    operationsAtOnce: count(1, 100).optional(),
    unlabelledAksNodeClasses: flag.optional(),
    prices: flag.optional(),
  };
};

/** Where agent pools are made. Whether Azure has such a name is for the provider to say. */
export const azureSection = {
  section: 'azure',
  fields: (fields: FieldMakers) => ({ ...placeFields(fields), customLocation: fields.text.optional() }),
} as const;

/**
 * gpu-provisioner's own variables: they keep their names, and where no provider is configured they imply one. The values themselves
 * are read by the provider.
 */
export function gpuProvisionerEnvironment(type: 'aks' | 'arc') {
  return (env: Environment): { problem?: string; implied?: true } => {
    const wanted = env.AZURE_PROVIDER_TYPE || 'aks';
    if (wanted !== 'aks' && wanted !== 'arc') {
      return { problem: `invalid provider type: ${wanted}, must be 'aks' or 'arc'` };
    }
    return wanted === type && (env.ARM_SUBSCRIPTION_ID || env.AZURE_PROVIDER_TYPE) ? { implied: true } : {};
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
