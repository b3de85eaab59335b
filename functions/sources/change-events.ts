/** What is new about an object, and the event that tells it. The watch keeps no object, only what it last told about each. */
import type { DataOf, EventType } from '../../events/catalog.ts';
import { requestAnnotations } from '../../shared/clusters/request/marks.ts';
import type { KubeObject, Resource } from '../../shared/kube/contract.ts';
import type { Change } from '../../shared/kube/reflector.ts';
import { machineAnnotations } from '../../shared/machines/core/marks.ts';
import type { Node } from '../../shared/nodes/claims/spec/types.ts';

/** An event to be sent. Where `digest` is the same as the last time, there is nothing new to tell. */
export type News = {
  [Type in EventType]: { type: Type; data: DataOf<Type>; digest?: unknown };
}[EventType];

/** The host's own watch, or a bridge. */
export type WatchObserver = 'watch' | 'bridge';

export interface Watched {
  cluster: string;
  observedBy: WatchObserver;
}

type Reader = (watched: Watched, change: Change<KubeObject>) => News | undefined;

/** Our own writes to a claim change neither its generation nor its deletion, so they make no event. */
export const claimNews: Reader = ({ cluster, observedBy }, change) => {
  if (change.type === 'deleted') {
    const { name, uid } = change;
    return { type: 'dev.poolwright.claim.deleted.v1', data: { cluster, name, uid, observedBy } };
  }
  const { name, uid, resourceVersion, generation, deletionTimestamp, finalizers } = change.object.metadata;
  const deleting = deletionTimestamp !== undefined;
  return {
    type: 'dev.poolwright.claim.changed.v1',
    data: { cluster, name, uid, resourceVersion, ...generationIn(generation), deleting, observedBy },
    digest: [generation, deleting, deleting ? finalizers : 0],
  };
};

/**
 * A kubelet writes to its Node all the time. What counts is what a launch or a termination waits for: the providerID, whether
 * it is ready, the taints of others, which resources it has, and its deletion.
 */
export const nodeNews: Reader = ({ cluster }, change) => {
  if (change.type === 'deleted') return undefined;
  const { metadata, spec, status }: KubeObject & Partial<Pick<Node, 'spec' | 'status'>> = change.object;
  const { name, uid } = metadata;
  const providerID = spec?.providerID;
  if (!providerID) return undefined;
  const ready = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  const deleting = metadata.deletionTimestamp !== undefined;
  const resources = Object.keys(status?.allocatable ?? {}).filter((key) => status?.allocatable?.[key] !== '0');
  // The taints that we put on and take off ourselves are no news.
  const taints = (spec?.taints ?? []).map(({ key }) => key).filter((key) => !key.startsWith('karpenter.sh/'));
  return {
    type: 'dev.poolwright.node.changed.v1',
    data: { cluster, name, uid, providerID, ready, deleting },
    digest: [providerID, ready, deleting, taints, resources],
  };
};

export const poolNews: Reader = (watched, change) => {
  const { data, digest } = aboutObject(watched, change);
  return { type: 'dev.poolwright.pool.changed.v1', data, digest };
};

/** Beside the spec: what people write on a request to be heard. Our own writes make no event. */
export const clusterRequestNews: Reader = ({ cluster, observedBy }, change) => {
  const type = 'dev.poolwright.cluster-request.changed.v1';
  if (change.type === 'deleted') {
    const { name, namespace = '', uid } = change;
    return { type, data: { cluster, namespace, name, uid, deleting: true, observedBy } };
  }
  const { name, namespace = '', uid, generation, deletionTimestamp, annotations = {} } = change.object.metadata;
  const deleting = deletionTimestamp !== undefined;
  const { cancel, retry, carriedOutBy } = requestAnnotations;
  const said = [cancel, retry, carriedOutBy].map((key) => annotations[key]);
  return {
    type,
    data: { cluster, namespace, name, uid, ...generationIn(generation), deleting, observedBy },
    digest: [generation, deleting, ...said],
  };
};

/** Beside the spec: what people write on a machine to be heard. Our own writes make no event. */
export const machineNews =
  ({ kind }: Pick<Resource, 'kind'>): Reader =>
  ({ cluster, observedBy }, change) => {
    const type = 'dev.poolwright.machine.changed.v1';
    if (change.type === 'deleted') {
      const { name, namespace = '', uid } = change;
      return { type, data: { cluster, kind, namespace, name, uid, deleting: true, observedBy } };
    }
    const { name, namespace = '', uid, generation, deletionTimestamp, annotations = {} } = change.object.metadata;
    const deleting = deletionTimestamp !== undefined;
    const { adopts, allowRestart, forceDelete } = machineAnnotations;
    const said = [adopts, allowRestart, forceDelete].map((key) => annotations[key]);
    return {
      type,
      data: { cluster, kind, namespace, name, uid, ...generationIn(generation), deleting, observedBy },
      digest: [generation, deleting, ...said],
    };
  };

export const nodeClassNews =
  ({ group, kind }: Resource): Reader =>
  (watched, change) => {
    const { data, digest } = aboutObject(watched, change);
    return { type: 'dev.poolwright.node-class.changed.v1', data: { group, kind, ...data }, digest };
  };

/** Of a kind that has no event of its own for being gone: it is told as being deleted, once more. */
function aboutObject({ cluster, observedBy }: Watched, change: Change<KubeObject>) {
  if (change.type === 'deleted') {
    const { name, uid } = change;
    return { data: { cluster, name, uid, deleting: true, observedBy }, digest: undefined };
  }
  const { name, uid, generation, deletionTimestamp } = change.object.metadata;
  const deleting = deletionTimestamp !== undefined;
  return {
    data: { cluster, name, uid, ...generationIn(generation), deleting, observedBy },
    digest: [generation, deleting],
  };
}

const generationIn = (generation: number | undefined) => (generation === undefined ? {} : { generation });
