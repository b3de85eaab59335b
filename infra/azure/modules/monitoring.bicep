// Where logs, traces and metrics go.
param name string
param location string
param tags object
param retentionDays int
param dailyQuotaGb int
param principalId string

var roles = loadJsonContent('../roles.json')

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    // A loop that logs must not become a bill.
    workspaceCapping: { dailyQuotaGb: dailyQuotaGb }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: name
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    // By identity only: the connection string alone opens nothing.
    DisableLocalAuth: true
  }
}

resource publish 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(insights.id, principalId, roles.builtIn.monitoringMetricsPublisher)
  scope: insights
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.builtIn.monitoringMetricsPublisher)
  }
}

// An address, no secret: see DisableLocalAuth.
output connection string = insights.properties.ConnectionString
output workspaceId string = workspace.id
