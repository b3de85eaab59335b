import { defined } from '../../base/defined.ts';
import { azureCredentials, azureLines, azureVariables } from '../agent-pools/wizard-parts.ts';
import { instanceTypes, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  // `az aks get-credentials` names the context after the cluster.
  byNames: ({ name, server }) => {
    const [, location] = /\.([a-z0-9]+)\.azmk8s\.io/.exec(server) ?? [];
    return location === undefined ? undefined : { location, clusterName: name.replace(/-admin$/, '') };
  },
  byNode: ({ providerID, labels }) => {
    const [, subscription] = /^azure:\/\/\/subscriptions\/([^/]+)\//.exec(providerID) ?? [];
    if (subscription === undefined) return undefined;
    const location = labels['topology.kubernetes.io/region'];
    const group = labels['kubernetes.azure.com/cluster'] ?? '';
    // Only where no name in it holds an underscore of its own.
    const [, resourceGroup, clusterName] = /^MC_([^_]+)_([^_]+)_[^_]+$/i.exec(group) ?? [];
    return {
      subscription,
      ...defined({ location }),
      ...(resourceGroup === undefined || clusterName === undefined ? {} : { resourceGroup, clusterName }),
    };
  },
  fromEnvironment: azureVariables,
  credentials: azureCredentials,
  lines: azureLines,
  manifest: () => ({
    // No object is needed for this kind.
    ref: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
    labels: { 'kaito.sh/workspace': 'none' },
    requirements: {
      comment: 'The cheapest available one of these is used. poolwright get offerings lists all.',
      list: instanceTypes(['Standard_D2s_v5', 'Standard_D2as_v5', 'Standard_D4s_v3']),
    },
    requests: { storage: '64Gi' },
  }),
};
