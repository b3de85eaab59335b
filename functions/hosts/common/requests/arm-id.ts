/** The id of a managed cluster in Azure, in its parts. */

const managedCluster =
  /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/providers\/Microsoft\.ContainerService\/managedClusters\/([^/]+)$/i;

/** As a cluster of the configuration names its place. Empty for another id. */
export function azurePlaceOf(id: string | undefined): {
  subscription?: string;
  resourceGroup?: string;
  clusterName?: string;
} {
  const [, subscription, resourceGroup, clusterName] = managedCluster.exec(id ?? '') ?? [];
  if (subscription === undefined || resourceGroup === undefined || clusterName === undefined) return {};
  return { subscription, resourceGroup, clusterName };
}
