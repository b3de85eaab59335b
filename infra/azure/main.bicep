// Poolwright on Azure Functions: all resources in one resource group, and the role assignments for the clusters that it serves.
// docs/hosts/azure.md explains each step. Deploy with: az deployment group create --resource-group <group> --parameters <file>.bicepparam
targetScope = 'resourceGroup'

@description('A cluster that this deployment serves.')
type clusterType = {
  @description('Name of the cluster in the configuration: lowercase letters, digits and dashes.')
  name: string

  @description('aks: AKS, with Entra ID. arc: AKS on Azure Arc. url: any cluster, with server and a secret.')
  access: 'aks' | 'arc' | 'url'

  @description('Subscription of the cluster. Default: the subscription of this deployment.')
  subscription: string?

  @description('Resource group of the cluster. Default: the resource group of this deployment.')
  resourceGroup: string?

  @description('Name of the cluster in Azure. Default: the value of name.')
  clusterName: string?

  @description('Region of the cluster. Default: the region of this deployment.')
  location: string?

  @description('arc only: the ARM id of the custom location.')
  customLocation: string?

  @description('url only: https://…')
  server: string?

  @description('Other fields of clusters.<name>, such as maxInstances; see docs/configuration.md.')
  settings: object?
}

@description('Name of the deployment. It is part of all resource names and a tag on every agent pool. Two deployments in one subscription need different names.')
@minLength(3)
@maxLength(14)
param deployment string

@description('Region of all resources.')
param location string = resourceGroup().location

@description('The clusters that this deployment serves.')
param clusters clusterType[]

@description('Map from app setting to the name of a secret in the key vault: POOLWRIGHT_HTTP_TOKEN, POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS, POOLWRIGHT_CLUSTERS_EAST_TOKEN, …')
param secretSettings object = {
  POOLWRIGHT_HTTP_TOKEN: 'http-token'
}

@description('More of the configuration; see docs/configuration.md. These values override those that are derived from the clusters.')
param config object = {}

@description('Ids of the subnets that node classes use for agent pools.')
param subnetIds string[] = []

@description('Id of the action group that alerts notify. Without it, alerts notify no one.')
param alertActionGroupId string = ''

@description('Subnet of the function app, if clusters or storage are not on the public network. It must be delegated to Microsoft.App/environments.')
param appSubnetId string = ''

@description('Version of the node runtime, as az functionapp list-flexconsumption-runtimes shows it for this region. Poolwright needs 24.')
param nodeVersion string = '24'

@description('Memory of an instance in MB: 512, 2048 or 4096.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 512

@description('Maximum number of instances.')
@minValue(40)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('Number of days to keep logs.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Maximum gigabytes of logs per day.')
param dailyLogQuotaGb int = 1

var suffix = uniqueString(resourceGroup().id, deployment)
var tags = { 'poolwright-deployment': deployment }
var here = subscription().subscriptionId
var aksClusters = filter(clusters, cluster => cluster.access == 'aks')
var arcClusters = filter(clusters, cluster => cluster.access == 'arc')
var locatedClusters = filter(arcClusters, cluster => cluster.?customLocation != null)

// A custom role can be assigned only in the subscription in which it was created.
var subscriptions = union(
  [here],
  map(clusters, cluster => cluster.?subscription ?? here),
  map(locatedClusters, cluster => split(cluster.?customLocation ?? '', '/')[2]),
  map(subnetIds, id => split(id, '/')[2])
)

// Options of every Azure provider; each cluster adds its own.
var providerPlace = {
  subscription: here
  resourceGroup: resourceGroup().name
  location: location
  credential: {
    type: 'managed-identity'
    clientId: identity.properties.clientId
  }
}
var providers = union(
  empty(aksClusters) ? {} : { aks: union({ type: 'aks' }, providerPlace) },
  empty(arcClusters) ? {} : { arc: union({ type: 'arc' }, providerPlace) }
)
var clusterConfigs = toObject(clusters, cluster => cluster.name, cluster => union(
  cluster.access == 'url' ? { server: cluster.?server ?? '' } : {
    access: cluster.access
    providers: [cluster.access]
    azure: union(
      {
        subscription: cluster.?subscription ?? here
        resourceGroup: cluster.?resourceGroup ?? resourceGroup().name
        clusterName: cluster.?clusterName ?? cluster.name
        location: cluster.?location ?? location
      },
      cluster.?customLocation == null ? {} : { customLocation: cluster.?customLocation }
    )
  },
  cluster.?settings ?? {}
))

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'poolwright-${deployment}'
  location: location
  tags: tags
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'poolwright-monitoring'
  params: {
    name: 'poolwright-${deployment}'
    location: location
    tags: tags
    retentionDays: logRetentionDays
    dailyQuotaGb: dailyLogQuotaGb
    principalId: identity.properties.principalId
  }
}

module storage 'modules/storage.bicep' = {
  name: 'poolwright-storage'
  params: {
    name: take('pw${replace(toLower(deployment), '-', '')}${suffix}', 24)
    location: location
    tags: tags
    principalId: identity.properties.principalId
  }
}

module serviceBus 'modules/service-bus.bicep' = {
  name: 'poolwright-service-bus'
  params: {
    name: 'poolwright-${deployment}-${suffix}'
    location: location
    tags: tags
    principalId: identity.properties.principalId
  }
}

module alerts 'modules/alerts.bicep' = {
  name: 'poolwright-alerts'
  params: {
    name: 'poolwright-${deployment}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    serviceBusNamespaceId: serviceBus.outputs.namespaceId
    actionGroupId: alertActionGroupId
  }
}

module keyVault 'modules/key-vault.bicep' = {
  name: 'poolwright-key-vault'
  params: {
    name: take('pw-${deployment}-${suffix}', 24)
    location: location
    tags: tags
    principalId: identity.properties.principalId
  }
}

module roles 'modules/roles.bicep' = [for one in subscriptions: {
  name: 'poolwright-roles-${deployment}'
  scope: subscription(one)
  params: {
    deployment: deployment
    principalId: identity.properties.principalId
  }
}]

module aksAccess 'modules/aks-access.bicep' = [for cluster in aksClusters: {
  name: take('poolwright-aks-${deployment}-${cluster.name}', 64)
  scope: resourceGroup(cluster.?subscription ?? here, cluster.?resourceGroup ?? resourceGroup().name)
  params: {
    deployment: deployment
    clusterName: cluster.?clusterName ?? cluster.name
    principalId: identity.properties.principalId
  }
  dependsOn: [roles]
}]

module arcAccess 'modules/arc-access.bicep' = [for cluster in arcClusters: {
  name: take('poolwright-arc-${deployment}-${cluster.name}', 64)
  scope: resourceGroup(cluster.?subscription ?? here, cluster.?resourceGroup ?? resourceGroup().name)
  params: {
    deployment: deployment
    clusterName: cluster.?clusterName ?? cluster.name
    principalId: identity.properties.principalId
  }
  dependsOn: [roles]
}]

// The custom location may be in another resource group than the cluster.
module locationAccess 'modules/location-access.bicep' = [for cluster in locatedClusters: {
  name: take('poolwright-location-${deployment}-${cluster.name}', 64)
  scope: resourceGroup(split(cluster.?customLocation ?? '', '/')[2], split(cluster.?customLocation ?? '', '/')[4])
  params: {
    deployment: deployment
    customLocationName: last(split(cluster.?customLocation ?? '', '/'))
    principalId: identity.properties.principalId
  }
  dependsOn: [roles]
}]

module subnetAccess 'modules/subnet-access.bicep' = [for id in subnetIds: {
  name: 'poolwright-subnet-${uniqueString(deployment, id)}'
  scope: resourceGroup(split(id, '/')[2], split(id, '/')[4])
  params: {
    deployment: deployment
    networkName: split(id, '/')[8]
    subnetName: last(split(id, '/'))
    principalId: identity.properties.principalId
  }
  dependsOn: [roles]
}]

module functionApp 'modules/function-app.bicep' = {
  name: 'poolwright-function-app'
  params: {
    name: 'poolwright-${deployment}-${suffix}'
    location: location
    tags: tags
    identityId: identity.id
    clientId: identity.properties.clientId
    storageName: storage.outputs.name
    packageContainer: storage.outputs.packageContainer
    serviceBusNamespace: serviceBus.outputs.fullyQualifiedNamespace
    keyVaultUri: keyVault.outputs.uri
    secretSettings: secretSettings
    insightsConnection: monitoring.outputs.connection
    nodeVersion: nodeVersion
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    subnetId: appSubnetId
    config: string(union({ deployment: deployment, clusters: clusterConfigs, providers: providers }, config))
  }
}

@description('For: func azure functionapp publish')
output functionAppName string = functionApp.outputs.name

@description('For the bridge, the webhook and the command line.')
output url string = functionApp.outputs.url

@description('For: az keyvault secret set')
output keyVaultName string = keyVault.outputs.name

@description('Identity of the deployment inside the clusters: the user of a ClusterRoleBinding.')
output principalId string = identity.properties.principalId
