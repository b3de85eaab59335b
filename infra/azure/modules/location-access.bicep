// The right to make pools in a custom location, and to read its sizes.
param deployment string
param customLocationName string
param principalId string

resource customLocation 'Microsoft.ExtendedLocation/customLocations@2021-08-15' existing = {
  name: customLocationName
}

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(customLocation.id, deployment, principalId, 'arcLocation')
  scope: customLocation
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', guid(subscription().id, deployment, 'arcLocation'))
  }
}
