/** The Secret of each cluster whose keys that begin with `join-` may stand in user data. */
export const joinSecret = {
  namespace: 'karpenter',
  name: 'remote-join',
  why: 'reads what machines need to join the cluster',
} as const;
