/** A pod as the API server stores it, with what a test cares about. */
import type { Pod } from '../../shared/nodes/terminate/drain/pods.ts';

export interface PodWishes {
  spec?: NonNullable<Pod['spec']>;
  status?: NonNullable<Pod['status']>;
  annotations?: Record<string, string>;
  /** The kind of its owner. */
  owner?: string;
  deletionTimestamp?: string;
  creationTimestamp?: string;
}

export const aPod = (name: string, wishes: PodWishes = {}): Pod => {
  const { spec = {}, status = {}, owner, annotations, deletionTimestamp, creationTimestamp } = wishes;
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: creationTimestamp ?? '2026-01-01T00:00:00Z',
      ...(annotations ? { annotations } : {}),
      ...(owner ? { ownerReferences: [{ apiVersion: 'v1', kind: owner, name: 'o', uid: 'o' }] } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
    spec: { nodeName: 'n1', ...spec },
    status: { phase: 'Running', ...status },
  };
};
