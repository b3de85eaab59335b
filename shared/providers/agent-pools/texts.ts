/** What people read about the options of AKS and Arc. */
const instead = "For this cluster, instead of the provider's setting.";

export const poolTexts = {
  subscription: 'the id of the subscription. Default: `ARM_SUBSCRIPTION_ID`.',
  resourceGroup: 'the resource group of the cluster. Default: `ARM_RESOURCE_GROUP`.',
  clusterName: 'the name of the AKS or connected cluster. Default: `AZURE_CLUSTER_NAME`.',
  tenant: 'the tenant of the identity. Default: `AZURE_TENANT_ID`.',
  'credential.type':
    'the identity to use. Default: what the environment provides; see [Azure from its environment](#azure-from-its-environment).',
  'credential.clientId': 'the client id of the identity. Default: `AZURE_CLIENT_ID`.',
  'credential.resourceId': 'a user-assigned managed identity by its ARM id, instead of its client id.',
  'credential.tokenFile':
    'for workload identity: the file with the federated token, read again for every exchange. Default: `AZURE_FEDERATED_TOKEN_FILE`.',
  'credential.secretVariable':
    'for a client secret: the variable that holds it. Default: `AZURE_CLIENT_SECRET`. On Azure the variable may be a Key Vault reference.',
  'credential.secretFile': 'for a client secret: a file that holds it, instead of a variable.',
  'cloud.name': "which of Microsoft's clouds to use. Default: what `AZURE_AUTHORITY_HOST` implies, else `public`.",
  'cloud.authorityHost': 'where tokens come from, for a cloud at another address (Azure Stack).',
  'cloud.armEndpoint': 'the address of Azure Resource Manager, for a cloud at another address.',
  'cloud.audience': 'the audience of tokens, if it is not the address of Resource Manager.',
  'cloud.pricesUrl': 'where to read retail prices.',
  certificateAuthority:
    'the certificate authorities to trust for Azure, instead of the public ones: a file or the PEM text.',
  operationsAtOnce: 'how many operations may run in one cluster at a time; the others wait for their turn. Default: 1.',
  unlabelledAksNodeClasses:
    "also serve claims with an AKSNodeClass that do not carry KAITO's labels. Set it only where karpenter-provider-azure does not run.",
  clusterMayBeAbsent:
    'if Azure has no such cluster, list no agent pools instead of failing. It is set for the second provider where environment variables alone configure Azure.',
  prices: 'read retail prices. Without them prices are unknown. Default: true.',
};

export const azureSectionTexts = {
  subscription: instead,
  resourceGroup: instead,
  clusterName: "The AKS or connected cluster that agent pools are created in. The cluster's Helm chart overrides it.",
  location: instead,
  customLocation: instead,
};

export const azureNotes = [
  `### Azure from its environment

Providers of type \`aks\` and \`arc\` take what is not configured from the variables that gpu-provisioner uses. Where no
provider is configured at all, \`ARM_SUBSCRIPTION_ID\` or \`AZURE_PROVIDER_TYPE\` (\`aks\`, the default, or \`arc\`) makes both of them, and claims that both
could serve go to that type until \`settings.azure.providerType\` of the cluster names the other one. The identity is: with \`DEPLOYMENT_MODE=managed\` the default credential of Microsoft's libraries; with \`AZURE_FEDERATED_TOKEN_FILE\` workload identity; with
\`AZURE_CLIENT_SECRET\` that secret; in a function app its managed identity, or the one that \`AZURE_CLIENT_ID\` names; else the default credential, which finds
what \`az login\` left.`,
];
