/** `get nodeclasses`: node classes of every kind that a provider uses, whether they are ready, and why not. */
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { unmetText } from '../../../shared/explain/first-unmet.ts';
import { resourceFor } from '../../../shared/explain/objects/cluster-objects.ts';
import { nodeClassUnmet, type ObjectUnmet } from '../../../shared/explain/objects/unmet.ts';
import { findCondition } from '../../../shared/kube/conditions.ts';
import { type ClusterApi, failureCodes } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { conditionTypes } from '../../../shared/nodes/claims/spec/well-known.ts';
import { conditionsOf, type WithStatus } from '../../../shared/nodes/pools/object-status.ts';
import type { NodeClassKind } from '../../../shared/providers/contract.ts';
import { kindsNamed } from '../../../shared/providers/kinds-named.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { withCluster } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { mustBeCluster } from '../../reach/which-cluster.ts';
import type { Listing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Getting } from './getting.ts';
import { showListing } from './show-listing.ts';

interface NodeClassRow {
  kind: string;
  group: string;
  name: string;
  uid: string;
  ready: string;
  createdAt: string | undefined;
  why: ObjectUnmet | undefined;
}

export const getNodeClasses = (getting: Getting): Promise<number> =>
  showListing(getting, nodeClasses, 'UnknownNodeClass', { selects: true });

async function nodeClasses({ options, of }: Getting): Promise<Listing<NodeClassRow>> {
  const { cluster, selector } = options;
  const rows = await withCluster(options, async (api) => {
    if (cluster !== undefined) await withHostApi(options, (host) => mustBeCluster(host, api, cluster));
    const found: NodeClassRow[] = [];
    for (const kind of kindsNamed(kindsOf(manifests), of)) found.push(...(await ofKind(api, kind, selector)));
    return found;
  });
  return {
    rows,
    columns: [
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'READY', text: ({ ready }) => ready, style: ({ ready }) => (ready === 'True' ? 'green' : 'yellow') },
      { title: 'AGE', spare: 1, text: ({ createdAt }) => ageSince(createdAt, systemClock.now()) },
      { title: 'GROUP', text: ({ group }) => group, wide: true },
      { title: 'UID', text: ({ uid }) => uid, wide: true },
      {
        title: 'WHY',
        text: ({ why }) => (why === undefined ? '' : unmetText(why)),
        style: ({ why }) => (why?.severity === 'failed' ? 'red' : undefined),
      },
    ],
    name: ({ kind, group, name }) => `${kind.toLowerCase()}.${group}/${name}`,
    // As `nodeclass/<kind>/<name>` has it.
    alias: ({ kind, name }) => `${kind}/${name}`,
    data: ({ createdAt, why, ...row }): Json => ({
      ...row,
      createdAt: createdAt ?? null,
      why: why === undefined ? null : { ...why },
    }),
    empty: 'No node classes of a kind that Poolwright uses.',
  };
}

async function ofKind(api: ClusterApi, kind: NodeClassKind, selector: string | undefined): Promise<NodeClassRow[]> {
  const resource = resourceFor(kind);
  let rows: NodeClassRow[] = [];
  const listed = await listAll<WithStatus>(api, resource, selector === undefined ? {} : { labelSelector: selector }, {
    onStart: () => {
      rows = [];
    },
    onItem: (nodeClass) => void rows.push(rowOf(kind, nodeClass)),
  });
  // A cluster has the definitions of the providers that it uses.
  if (!listed.ok && listed.error.code !== failureCodes.notServed) throw clusterProblem(listed.error, api, resource);
  return rows;
}

function rowOf({ kind, group, optional = false }: NodeClassKind, nodeClass: WithStatus): NodeClassRow {
  const { name, uid, creationTimestamp, deletionTimestamp } = nodeClass.metadata;
  const ready = findCondition(conditionsOf(nodeClass), conditionTypes.ready)?.status ?? 'Unknown';
  return {
    kind,
    group,
    name,
    uid,
    ready: deletionTimestamp === undefined ? ready : 'False',
    createdAt: creationTimestamp,
    why: nodeClassUnmet(nodeClass, { optional }),
  };
}
