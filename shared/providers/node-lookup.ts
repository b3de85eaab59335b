/** Nodes as providers ask for them, from the cluster's API. */
import type { V1Node } from '@kubernetes/client-node';
import { ok } from '../base/result.ts';
import { type ClusterApi, nodes } from '../kube/contract.ts';
import { listAll } from '../kube/list-all.ts';
import type { Stored } from '../kube/stored.ts';
import type { NodeLookup, NodeSummary } from './context.ts';

type StoredNode = Stored<V1Node>;

export const nodeLookup = (api: ClusterApi): NodeLookup => ({
  async list(labelSelector, signal) {
    let found: NodeSummary[] = [];
    const reader = {
      onStart: () => {
        found = [];
      },
      onItem: (node: StoredNode) => void found.push(summaryOf(node)),
    };
    const listed = await listAll<StoredNode>(api, nodes, { labelSelector }, reader, signal);
    return listed.ok ? ok(found) : listed;
  },
});

const summaryOf = ({ metadata, spec }: StoredNode): NodeSummary => ({
  name: metadata.name,
  providerID: spec?.providerID ?? '',
  labels: metadata.labels ?? {},
  createdAt: Date.parse(metadata.creationTimestamp ?? ''),
});
