/** What an identity must be allowed at its cluster, besides reading, which shows by itself. infra/azure/rights.ts says why. */
export const neededActions = {
  aks: [
    'Microsoft.ContainerService/managedClusters/agentPools/write',
    'Microsoft.ContainerService/managedClusters/agentPools/delete',
  ],
  arc: [
    'Microsoft.HybridContainerService/provisionedClusterInstances/agentPools/write',
    'Microsoft.HybridContainerService/provisionedClusterInstances/agentPools/delete',
  ],
} as const;

export interface Permission {
  actions: readonly string[];
  notActions: readonly string[];
}

/** An action is allowed by any role that names it and does not take it back. `*` stands for anything, and case does not count. */
export const isAllowed = (action: string, permissions: readonly Permission[]): boolean =>
  permissions.some(
    ({ actions, notActions }) =>
      actions.some((pattern) => fits(action, pattern)) && !notActions.some((pattern) => fits(action, pattern)),
  );

function fits(action: string, pattern: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const text = action.toLowerCase();
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
