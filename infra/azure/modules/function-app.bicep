// The function app on the Flex Consumption plan. Its package comes with: func azure functionapp publish
param name string
param location string
param tags object
param identityId string
param clientId string
param storageName string
param packageContainer string
param serviceBusNamespace string
param keyVaultUri string
param secretSettings object
param insightsConnection string
param nodeVersion string
param instanceMemoryMB int
param maximumInstanceCount int
param subnetId string
param config string

// Everything is reached by identity: there is no key in the settings.
var plainSettings = {
  AzureWebJobsStorage__accountName: storageName
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: clientId
  ServiceBus__fullyQualifiedNamespace: serviceBusNamespace
  ServiceBus__credential: 'managedidentity'
  ServiceBus__clientId: clientId
  State__tableServiceUri: 'https://${storageName}.table.${environment().suffixes.storage}'
  State__clientId: clientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: insightsConnection
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${clientId};Authorization=AAD'
  AZURE_CLIENT_ID: clientId
  AZURE_TENANT_ID: subscription().tenantId
  POOLWRIGHT_CONFIG: config
}
var referredSettings = toObject(items(secretSettings), one => one.key, one => '@Microsoft.KeyVault(SecretUri=${keyVaultUri}secrets/${one.value})')

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    tier: 'FlexConsumption'
    name: 'FC1'
  }
  properties: { reserved: true }
}

resource app 'Microsoft.Web/sites@2024-04-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainer
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
      }
      runtime: {
        name: 'node'
        version: nodeVersion
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      appSettings: map(items(union(plainSettings, referredSettings)), one => {
        name: one.key
        value: one.value
      })
    }
  }
}

// Publishing goes by Entra ID alone.
resource publishing 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-04-01' = [for way in ['ftp', 'scm']: {
  parent: app
  name: way
  properties: { allow: false }
}]

output name string = app.name
output url string = 'https://${app.properties.defaultHostName}'
