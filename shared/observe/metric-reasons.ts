/** The values of the label `reason` as Karpenter has them, so that its dashboards find them. What Karpenter has no word for is our code in its form. */

/** Where our code and Karpenter's word differ in more than their form. */
const karpenters: Readonly<Record<string, string>> = {
  NodePoolDrifted: 'drifted',
  RequirementsDrifted: 'drifted',
  NodeClassDrifted: 'drifted',
  InstanceDrifted: 'drifted',
  NodeClassNotReady: 'nodeclass_not_ready',
  PoolDeleted: 'nodepool_deleted',
};

export const metricReason = (code: string): string =>
  karpenters[code] ?? code.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
