/**
 * One owner per cluster. The Lease says which deployment acts; whoever finds another one there, or a rival, or a cluster that
 * can't be used, only reads. What was found stands in the state for a while, so that all processes of a deployment know it and
 * no step pays for a look of its own.
 */
import { ok, type Result } from '../base/result.ts';
import type { Clock, Ids } from '../base/runtime.ts';
import type { ClusterApi } from '../kube/contract.ts';
import type { Log } from '../observe/log/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { State } from '../state/contract.ts';
import { announce } from './announce.ts';
import { holderOf } from './holder.ts';
import { keepLease, type LeaseKept, type LeaseSettings } from './keep-lease.ts';
import { deploymentOf, type Holder } from './lease.ts';
import { lookForRival, rivalKey } from './look-for-rivals.ts';
import type { ServedKind } from './rivals.ts';
import type { ClusterLeadership, Lack, ReadOnly, Standing } from './standing.ts';

export interface OwnableCluster {
  readonly api: ClusterApi;
  readonly lease: LeaseSettings;
  /** The node classes that our providers serve here. */
  readonly serves: readonly ServedKind[];
  /** What the cluster lacks; nothing: it can be used. A failure: it could not be asked. */
  check(signal?: AbortSignal): Promise<Result<Lack[]>>;
}

export interface OwnershipParts {
  deployment: string;
  clusters: readonly OwnableCluster[];
  state: State;
  clock: Clock;
  ids: Ids;
  log: Log;
  metrics: Metrics;
}

/** What was found, and from when its time runs. */
type Found = { standing: Standing; since: number };

/** The share of the Lease's time in which its holder acts without having renewed it: it stops well before anybody takes over. */
const actingShare = 0.75;
const readOnlySeconds = 15;
/** After a look that failed; short, because work waits. */
const unknownSeconds = 3;
/** For how long a process trusts what it has read from the state. */
const memorySeconds = 5;
const rivalLookSeconds = 60;
/** What is complete stays so, mostly. What is not is looked at again each time. */
const checkSeconds = 3600;

export function createOwnership(parts: OwnershipParts): ClusterLeadership {
  const { clusters, state, clock } = parts;
  const byName = new Map(clusters.map((cluster) => [cluster.api.name, cluster]));
  const memory = new Map<string, Found & { readAt: number }>();
  const looks = new Map<string, Promise<Standing>>();
  let holder: Promise<Holder> | undefined;
  const us = (): Promise<Holder> => {
    holder ??= holderOf(parts.deployment, state, parts.ids).catch((error: unknown) => {
      holder = undefined;
      throw error;
    });
    return holder;
  };

  const isValid = (cluster: OwnableCluster, { standing, since }: Found, now: number): boolean => {
    const seconds = standing.acts
      ? cluster.lease.seconds * actingShare
      : standing.reason === 'OwnerUnknown'
        ? unknownSeconds
        : readOnlySeconds;
    return now >= since && now - since < seconds * 1000;
  };

  const remembered = async (cluster: OwnableCluster): Promise<Found | undefined> => {
    const { name } = cluster.api;
    const known = memory.get(name);
    const now = clock.now();
    if (known && now >= known.readAt && now - known.readAt < memorySeconds * 1000 && isValid(cluster, known, now)) {
      return known;
    }
    const stored = await state.get<Found>(`standing/${name}`);
    if (!stored || !isValid(cluster, stored.value, clock.now())) return undefined;
    memory.set(name, { ...stored.value, readAt: clock.now() });
    return stored.value;
  };

  const look = async (cluster: OwnableCluster, signal?: AbortSignal): Promise<Standing> => {
    const { name } = cluster.api;
    const found = await find(parts, cluster, await us(), (other) => other !== name && byName.has(other), signal);
    if (!found.ok) {
      // An answer that did not come says nothing about the Lease: what was known holds until its time is up.
      const before = await remembered(cluster);
      if (before?.standing.acts) return before.standing;
      const why = `the host could not determine which deployment manages cluster ${name}: ${found.error.message}`;
      const standing: ReadOnly = { acts: false, reason: 'OwnerUnknown', why };
      memory.set(name, { standing, since: clock.now(), readAt: clock.now() });
      await announce(parts, cluster, standing);
      return standing;
    }
    memory.set(name, { ...found.value, readAt: clock.now() });
    await state.put(`standing/${name}`, found.value, { ttlSeconds: Math.max(60, cluster.lease.seconds) });
    await announce(parts, cluster, found.value.standing, found.value.from);
    return found.value.standing;
  };

  /** However many ask at once, one looks. */
  const renew = async (name: string, signal?: AbortSignal): Promise<Standing> => {
    const cluster = byName.get(name);
    if (!cluster) return { acts: false, reason: 'OwnerUnknown', why: `cluster ${name} is not in the configuration` };
    const running = looks.get(name) ?? look(cluster, signal).finally(() => looks.delete(name));
    looks.set(name, running);
    return running;
  };

  return {
    renew,
    lacks: async (name, signal) => byName.get(name)?.check(signal) ?? ok([]),
    standing: async (name) => {
      const cluster = byName.get(name);
      const known = cluster && (await remembered(cluster));
      return known ? known.standing : renew(name);
    },
  };
}

/**
 * For a host that starts and is alone with its state: what its last run knew is no longer taken for granted. Meanwhile the Lease may
 * have been given to somebody else, and definitions or rights may have changed.
 */
export async function forgetStandings(state: State, clusters: readonly string[]): Promise<void> {
  for (const name of clusters) {
    await state.delete(`standing/${name}`);
    await state.delete(`checked/${name}`);
  }
}

async function find(
  parts: OwnershipParts,
  cluster: OwnableCluster,
  us: Holder,
  isOtherCluster: (name: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<Result<Found & { from?: string }>> {
  const { state, clock } = parts;
  const { api, lease } = cluster;
  const readOnly = (standing: ReadOnly): Result<Found> => ({ ok: true, value: { standing, since: clock.now() } });

  // What was found is kept in the state, not in the process: functions have many processes, and each lives shortly.
  if (!(await state.get(`checked/${api.name}`))) {
    const checked = await cluster.check(signal);
    if (!checked.ok) return checked;
    if (checked.value.length > 0) {
      const why = `cluster ${api.name} cannot be managed: ${checked.value.map(({ message }) => message).join('; ')}`;
      return readOnly({ acts: false, reason: 'ClusterNotUsable', why });
    }
    await state.put(`checked/${api.name}`, true, { ttlSeconds: checkSeconds });
  }

  const looked = await state.get<{ who?: string }>(rivalKey(api.name));
  let rival = looked?.value;
  if (!rival) {
    const who = await lookForRival({ api, state, clock, serves: cluster.serves }, signal);
    rival = who === undefined ? {} : { who };
    await state.put(rivalKey(api.name), rival, { ttlSeconds: rivalLookSeconds });
  }
  if (rival.who !== undefined) {
    const why = `${rival.who}, already manages the claims of cluster ${api.name}; stop it, or remove the cluster or the provider from our configuration`;
    return readOnly({ acts: false, reason: 'RivalProvisioner', who: rival.who, why });
  }

  const kept = await keepLease({ api, lease, us, clock, state, isOtherCluster }, signal);
  if (!kept.ok) return kept;
  if (!kept.value.held) return readOnly(heldByOther(cluster, us, kept.value));
  const { since, from } = kept.value;
  return { ok: true, value: { standing: { acts: true }, since, ...(from ? { from } : {}) } };
}

function heldByOther({ api, lease }: OwnableCluster, us: Holder, kept: Extract<LeaseKept, { held: false }>): ReadOnly {
  const where = `Lease ${lease.namespace}/${lease.name}`;
  if ('twin' in kept) {
    const why = `clusters ${kept.twin} and ${api.name} in the configuration are the same cluster; the host serves it as ${kept.twin}. Remove one of the two`;
    return { acts: false, reason: 'ClusterNotUsable', who: kept.twin, why };
  }
  const { holder } = kept;
  const renewed = kept.lease.spec?.renewTime?.replace(/\.\d+Z$/, 'Z') ?? 'never';
  const other = deploymentOf(holder);
  const sameName = other === us.deployment;
  if (kept.why === 'expired-but-foreign') {
    const why = `deployment ${other} holds ${where} of cluster ${api.name} and has not renewed it since ${renewed}. Its instances are tagged with its name: to replace it, set deployment to ${other}; if none of its instances is left, delete the Lease`;
    return { acts: false, reason: 'NotOwner', who: holder, why };
  }
  const wait = sameName ? `; it is another installation with the same name, and this one takes over when it stops` : '';
  return {
    acts: false,
    reason: 'NotOwner',
    who: holder,
    why: `deployment ${other} (${holder}) manages cluster ${api.name}: it holds ${where}, renewed at ${renewed}${wait}`,
  };
}
