// The right to put agent pools into one subnet, for node classes that name it.
param deployment string
param networkName string
param subnetName string
param principalId string

resource network 'Microsoft.Network/virtualNetworks@2024-01-01' existing = {
  name: networkName
}

resource subnet 'Microsoft.Network/virtualNetworks/subnets@2024-01-01' existing = {
  parent: network
  name: subnetName
}

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(subnet.id, deployment, principalId, 'subnet')
  scope: subnet
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', guid(subscription().id, deployment, 'subnet'))
  }
}
