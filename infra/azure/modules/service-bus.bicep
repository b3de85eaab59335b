// The queue of events.
param name string
param location string
param tags object
param principalId string

var roles = loadJsonContent('../roles.json')
var dataRoles = [
  roles.builtIn.serviceBusDataSender
  roles.builtIn.serviceBusDataReceiver
]

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: {
    name: 'Standard'
    tier: 'Standard'
  }
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
  }
}

resource events 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: namespace
  name: 'events'
  properties: {
    // The host renews it while a function runs; queue.visibilitySeconds says the same.
    lockDuration: 'PT1M'
    // Ours is lower (queue.maxReceives, 10) and names the reason; this one is for functions that die without a word.
    maxDeliveryCount: 20
    deadLetteringOnMessageExpiration: true
    // An event is a hint: after a day the resync has seen everything, and an old one says nothing new.
    defaultMessageTimeToLive: 'P1D'
    maxSizeInMegabytes: 1024
    // A copy that is tried later must not be taken for its original.
    requiresDuplicateDetection: false
    requiresSession: false
    enablePartitioning: false
  }
}

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for role in dataRoles: {
  name: guid(events.id, principalId, role)
  scope: events
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
  }
}]

output fullyQualifiedNamespace string = replace(replace(namespace.properties.serviceBusEndpoint, 'https://', ''), ':443/', '')
output namespaceId string = namespace.id
