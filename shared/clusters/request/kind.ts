/** ClusterRequest by its names: what a host needs to ask a cluster for it, without loading a schema. */

export const clusterRequestKind = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  kind: 'ClusterRequest',
  plural: 'clusterrequests',
} as const;

/** As a client of an API server names it. */
export const clusterRequests = { ...clusterRequestKind, namespaced: true } as const;

export const clusterRequestApiVersion = `${clusterRequestKind.group}/${clusterRequestKind.version}`;
