// The roles of our own, in the subscription of a cluster, and the one that is given there as a whole.
targetScope = 'subscription'

param deployment string
param principalId string

var roles = loadJsonContent('../roles.json')

resource definitions 'Microsoft.Authorization/roleDefinitions@2022-04-01' = [for role in items(roles.custom): {
  name: guid(subscription().id, deployment, role.key)
  properties: {
    // Titles are unique in a tenant.
    roleName: '${role.value.title} (${deployment}, ${subscription().subscriptionId})'
    description: role.value.description
    type: 'CustomRole'
    permissions: [
      {
        actions: role.value.actions
        notActions: []
        dataActions: []
        notDataActions: []
      }
    ]
    assignableScopes: [subscription().id]
  }
}]

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(subscription().id, deployment, principalId, 'subscription')
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', guid(subscription().id, deployment, 'subscription'))
  }
  dependsOn: [definitions]
}
