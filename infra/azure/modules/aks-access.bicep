// The right to make and delete agent pools of one AKS cluster.
param deployment string
param clusterName string
param principalId string

resource cluster 'Microsoft.ContainerService/managedClusters@2024-09-01' existing = {
  name: clusterName
}

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(cluster.id, deployment, principalId, 'aks')
  scope: cluster
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', guid(subscription().id, deployment, 'aks'))
  }
}
