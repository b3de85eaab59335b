/** What we write on a ClusterRequest besides its status, and what people write on it to be heard. */

/** Holds a request until nothing is left of what it has made. */
export const requestFinalizer = 'poolwright.dev/cluster-request';

export const requestAnnotations = {
  /** Ours: what has been begun for the request, written before anything is asked of Azure. */
  record: 'poolwright.dev/cluster-record',
  /** `true`: nothing more is done for the request until it is gone. What was made stays. */
  cancel: 'poolwright.dev/cancel',
  /** Any new value: try again now what has failed. */
  retry: 'poolwright.dev/retry',
  /** Who carries the request out: `direct`, or `kro` while a graph of KRO still owns what it describes. */
  carriedOutBy: 'poolwright.dev/carried-out-by',
} as const;

export const requestConditions = {
  /** Everything that was asked for is there. */
  ready: 'Ready',
  /** The request makes sense. */
  validated: 'Validated',
  /** What could be known before has been checked at Azure. */
  preflighted: 'Preflighted',
  /** Everything of its names belongs to the request. */
  owned: 'Owned',
  /** The new cluster's API server answers. */
  reachable: 'Reachable',
  /** This deployment serves the cluster. */
  registered: 'Registered',
  /** The cluster differs from what the request says. */
  drifted: 'Drifted',
  /** Something that was made is being removed. */
  deleting: 'Deleting',
} as const;

/** Reason of `Deleting` while nothing holds the removal up; else it is the code of what does. */
export const removing = 'Removing';

/** Reasons of `Ready` where a user wants that nothing is made. */
export const pausedReason = 'Paused';
export const cancelled = 'Cancelled';
export const carriedOutElsewhere = 'CarriedOutElsewhere';
export const dryRun = 'DryRun';
