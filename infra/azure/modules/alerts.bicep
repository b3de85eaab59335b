// Alerts on what no one would notice otherwise: dead letters, and lines of the log that a person has to see. They are quiet while there is no data.
param name string
param location string
param tags object
param workspaceId string
param serviceBusNamespaceId string
param actionGroupId string

var actions = empty(actionGroupId) ? [] : [actionGroupId]

// docs/operations.md#logs says what each line means.
var events = [
  'owner.read-only'
  'cluster.unreachable'
  'workflow.set-aside'
  'workflow.failed'
  'garbage.stopped'
  'resync.failed'
  'host.misconfigured'
]

// One rule for all of them, because each rule costs the same; the dimension says which line it was.
resource said 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = {
  name: '${name}-log'
  location: location
  tags: tags
  properties: {
    displayName: 'Poolwright: a line of the log that a person has to see'
    description: 'The dimension event names the line; docs/operations.md says what it means and what to do.'
    severity: 2
    enabled: true
    scopes: [workspaceId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT10M'
    criteria: {
      allOf: [
        {
          query: format('AppTraces | extend event = tostring(parse_json(Message).event) | where event in ("{0}")', join(events, '", "'))
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
          dimensions: [
            {
              name: 'event'
              operator: 'Include'
              values: ['*']
            }
          ]
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    autoMitigate: true
    actions: { actionGroups: actions }
  }
}

resource deadLetters 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: '${name}-dead-letters'
  location: 'global'
  tags: tags
  properties: {
    description: 'Events were dead-lettered: poolwright deadletters lists them with their reasons.'
    severity: 2
    enabled: true
    scopes: [serviceBusNamespaceId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          name: 'dead letters'
          criterionType: 'StaticThresholdCriterion'
          metricName: 'DeadletteredMessages'
          operator: 'GreaterThan'
          threshold: 0
          timeAggregation: 'Maximum'
        }
      ]
    }
    actions: [for id in actions: { actionGroupId: id }]
  }
}
