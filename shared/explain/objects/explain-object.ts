/** From what cluster and host say about a pool or a node class to its explanation. */

import { type ObjectAnswer, objectAnswer } from './answer.ts';
import type { NodeClassView, PoolView } from './cluster-objects.ts';
import type { ObjectHost } from './facts.ts';
import { diagnoseNodeClass } from './node-class.ts';
import { diagnosePool } from './pool.ts';

export interface Asked {
  /** As the host calls it, or as the kubeconfig does. */
  cluster: string;
  now: number;
  host: ObjectHost | undefined;
}

export function explainPoolView(
  { pool, claims, events, eventsUnread }: PoolView,
  { cluster, now, host }: Asked,
): ObjectAnswer {
  return objectAnswer({
    cluster,
    kind: 'NodePool',
    object: pool,
    now,
    diagnosis: diagnosePool({ now, events, host, pool, claims }),
    host,
    events,
    eventsUnread,
    pool: { replicas: pool.spec.replicas, nodes: pool.status?.nodes ?? 0, claims },
  });
}

export function explainNodeClassView(view: NodeClassView, { cluster, now, host }: Asked): ObjectAnswer {
  const { kind, nodeClass, pools, events, eventsUnread } = view;
  const optional = kind.optional ?? false;
  const diagnosis = diagnoseNodeClass({ now, events, host, kind: kind.kind, nodeClass, optional, pools });
  return objectAnswer({
    cluster,
    kind: kind.kind,
    object: nodeClass,
    now,
    diagnosis,
    host,
    events,
    eventsUnread,
    pools,
  });
}
