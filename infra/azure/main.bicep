// Poolwright on Azure Functions: everything in one resource group, and the rights on the clusters that it serves.
// docs/hosts/azure.md leads through it. Deploy with: az deployment group create --resource-group <group> --parameters <file>.bicepparam
targetScope = 'resourceGroup'

@description('A cluster that is served.')
type clusterType = {
  @description('The name under which the deployment knows it: small letters, digits and dashes.')
  name: string

  @description('aks: by Entra ID. arc: AKS on Azure Arc. url: any cluster, with server and a secret.')
  access: 'aks' | 'arc' | 'url'

  @description('The subscription of the cluster; that of this deployment when absent.')
  subscription: string?

  @description('The resource group of the cluster; this one when absent.')
  resourceGroup: string?

  @description('What Azure calls the cluster; its name when absent.')
  clusterName: string?

  @description('Its region; that of this deployment when absent.')
  location: string?

  @description('arc only: the ARM id of the custom location.')
  customLocation: string?

  @description('url only: https://…')
  server: string?

  @description('More fields of clusters.<name> in docs/configuration.md, such as maxInstances.')
  settings: object?
}

@description('Stands in all names, and as a tag on every agent pool. Two deployments that share a subscription need two names.')
@minLength(3)
@maxLength(14)
param deployment string

@description('Where everything is made.')
param location string = resourceGroup().location

@description('The clusters, one or many.')
param clusters clusterType[]

@description('App setting to the name of a secret in the key vault: POOLWRIGHT_HTTP_TOKEN, POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS, POOLWRIGHT_CLUSTERS_EAST_TOKEN, …')
param secretSettings object = {
  POOLWRIGHT_HTTP_TOKEN: 'http-token'
}

@description('More of the configuration: see docs/configuration.md. It is laid over what follows from the clusters.')
param config object = {}

@description('Ids of subnets that node classes name: agent pools may be put into them.')
param subnetIds string[] = []

@description('A subnet for the function app, for clusters and storage that are not on the public network. It must be delegated to Microsoft.App/environments.')
param appSubnetId string = ''

@description('What az functionapp list-flexconsumption-runtimes shows for node in this region. Poolwright needs 24.')
param nodeVersion string = '24'

@description('Memory of an instance in MB: 512, 2048 or 4096.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 512

@description('How many instances at most.')
@minValue(40)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Gigabytes of logs per day, at most.')
param dailyLogQuotaGb int = 1

var suffix = uniqueString(resourceGroup().id, deployment)
var tags = { 'poolwright-deployment': deployment }
var here = subscription().subscriptionId
var aksClusters = filter(clusters, cluster => cluster.access == 'aks')
var arcClusters = filter(clusters, cluster => cluster.access == 'arc')
var locatedClusters = filter(arcClusters, cluster => cluster.?customLocation != null)

// A role of ours can be given in the subscription in which it was made.
var subscriptions = union(
  [here],
  map(clusters, cluster => cluster.?subscription ?? here),
  map(locatedClusters, cluster => split(cluster.?customLocation ?? '', '/')[2]),
  map(subnetIds, id => split(id, '/')[2])
)

// What every provider of Azure is told; a cluster says what is its own.
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

// The custom location may lie in another resource group than the cluster.
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

@description('Who the deployment is inside the clusters: the user of a ClusterRoleBinding.')
output principalId string = identity.properties.principalId
