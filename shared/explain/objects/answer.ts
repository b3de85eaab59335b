/** The explanation of a pool or a node class as it travels. Times are RFC 3339. Names stay. */
import { defined } from '../../base/defined.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import { conditionsOf, type WithStatus } from '../../nodes/pools/object-status.ts';
import { type Answer, iso, times } from '../answer.ts';
import type { Diagnosis } from '../diagnosis-facts.ts';
import type { ObjectHost, PoolClaimFact } from './facts.ts';

export interface ObjectAnswer {
  cluster: string;
  /** `NodePool`, or the kind of the node class. */
  kind: string;
  name: string;
  uid: string;
  /** By the clock of the one who answers. */
  now: string;
  diagnosis: Answer['diagnosis'];
  /** Of a pool. */
  replicas?: number | undefined;
  nodes?: number | undefined;
  claims?: { name: string; ready: boolean; reason?: string | undefined; message?: string | undefined }[] | undefined;
  failure?: { claim: string; reason: string; message: string; at: string } | undefined;
  /** Of a node class: the pools that refer to it. */
  pools?: string[] | undefined;
  ours?: boolean | undefined;
  standing?: Answer['standing'];
  pauses: Answer['pauses'];
  conditions: Condition[];
  events: Answer['events'];
  /** What could not be asked. */
  missing: 'events'[];
}

export interface Answering {
  cluster: string;
  kind: string;
  object: WithStatus;
  now: number;
  diagnosis: Diagnosis;
  host: ObjectHost | undefined;
  events: readonly { type: string; reason: string; message: string; at: number }[];
  eventsUnread: boolean;
  pool?: { replicas: number | undefined; nodes: number; claims: readonly PoolClaimFact[] };
  pools?: readonly string[];
}

export function objectAnswer(answering: Answering): ObjectAnswer {
  const { cluster, kind, object, now, diagnosis, host, events, pool, pools } = answering;
  const { cure, since, until, ...said } = diagnosis;
  const { failure, standing, ours } = host ?? {};
  return {
    cluster,
    kind,
    name: object.metadata.name,
    uid: object.metadata.uid,
    now: iso(now),
    diagnosis: { ...said, fix: cure, ...times({ since, until }) },
    ...(pool === undefined
      ? {}
      : { ...defined({ replicas: pool.replicas }), nodes: pool.nodes, claims: pool.claims.map(shownClaim) }),
    ...defined({ failure: failure && { ...failure, at: iso(failure.at) }, pools: pools && [...pools], ours, standing }),
    pauses: [...(host?.pauses ?? [])],
    conditions: [...conditionsOf(object)],
    events: events.map((event) => ({ ...event, at: iso(event.at) })),
    missing: answering.eventsUnread ? ['events'] : [],
  };
}

const shownClaim = ({ name, ready, why }: PoolClaimFact) => ({
  name,
  ready,
  ...(why === undefined ? {} : { reason: why.reason, message: why.message }),
});
