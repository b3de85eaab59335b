/** The steps from a request to a cluster that is ready for its user, in their order. */

export const stages = [
  'ResourceGroup',
  'Identity',
  'ManagedCluster',
  'FederatedCredentials',
  'AgentPools',
  'NodeClass',
  'NodePool',
  'Flux',
  'GitOps',
] as const;
export type Stage = (typeof stages)[number];

export const stageStates = ['Pending', 'Running', 'Waiting', 'Succeeded', 'Failed', 'Skipped'] as const;
