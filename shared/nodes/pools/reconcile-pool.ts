/**
 * Brings one NodePool to what it says: its conditions, and, when it has replicas, that many claims.
 *
 * It reads everything anew, decides (`plan.ts`) and writes; it may die between any two writes and may run twice. Claims have
 * names that follow from the pool's uid and a number, so a repeat finds them. Dynamic pools only get their conditions.
 */

import { defined } from '../../base/defined.ts';
import { inParallel } from '../../base/in-parallel.ts';
import type { Json } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { type ConditionChange, findCondition } from '../../kube/conditions.ts';
import { nodePools } from '../../kube/contract.ts';
import type { ServedClaim } from '../../providers/contract.ts';
import type { Serving } from '../../providers/serving.ts';
import type { Entry } from '../../state/contract.ts';
import { annotations } from '../claims/spec/well-known.ts';
import { defaultBudgets } from '../disruption/budgets.ts';
import { type Today, todayOf } from '../disruption/drift.ts';
import type { PoolClaim, StoredPool } from '../disruption/types.ts';
import { pausedBy } from '../pauses/pauses.ts';
import { chooseAmong } from '../steps/provider-choice.ts';
import { emitEvent, emitEventThrottled } from '../steps/report/claim-events.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { withRoom } from './cluster-room.ts';
import { sayDrifted } from './drifted-condition.ts';
import { lastPoolFailure } from './failures.ts';
import { type Turn, withLock } from './lock.ts';
import { makeClaims } from './make-claims.ts';
import { type Numbers, noNumbers } from './names.ts';
import { conditionsOf, objectStatusPatch, writeStatus } from './object-status.ts';
import { type Observed, observeClaims, observeNodes, sumOf } from './observe.ts';
import { type PoolPlan, planPool } from './plan.ts';
import { hasMarkedPod, observePods } from './pods.ts';
import { readClassState } from './pool-class.ts';
import { forgetPool, reportPool } from './pool-metrics.ts';
import { type ClassState, healthNotKnownYet, poolConditions, registrationHealth } from './pool-status.ts';
import { removeClaims } from './remove-claims.ts';
import { stampClaims } from './stamp.ts';
import { failedRounds, nextTries, type Tries, type TryQuestion, triesKey, waitUntil } from './tries.ts';
import { longestLabelValue, nodeLimit, poolProblems, wishesProblems } from './validate.ts';

/**
 * `busy`: another run is at this pool; it looks once more when it is through. `unsettled`: claims come or go, and what they
 * come to should be seen soon.
 */
export type PoolOutcome = { state: 'done' | 'busy' } | { state: 'unsettled'; uid: string };

const done: Result<PoolOutcome> = ok({ state: 'done' });

interface Look {
  services: LifecycleServices;
  cluster: ClusterServices;
  pool: StoredPool;
  served: Serving;
  nodeClass: ClassState;
  today: Today;
  turn: Turn;
  /** Which numbers the pool has used, as they were before its claims were listed. */
  numbers?: Entry<Numbers> | undefined;
  signal: AbortSignal;
}

export async function reconcilePool(
  services: LifecycleServices,
  cluster: ClusterServices,
  name: string,
  signal: AbortSignal,
): Promise<Result<PoolOutcome>> {
  if (!(await services.ownership.standing(cluster.name)).acts) return done;
  const key = `pool/${cluster.name}/${name}`;
  const attempt = () => withLock(services, key, (turn) => look(services, cluster, name, turn, signal));
  for (let round = 1; ; round++) {
    let run = await attempt();
    if (!run) {
      await services.state.put(`again/${key}`, true, { ttlSeconds: againSeconds });
      // Whoever had the lock may have let it go before the mark was there to be seen.
      run = await attempt();
      if (!run) return ok({ state: 'busy' });
    }
    if (!run.ok || round === maxRounds) return run;
    // Many changes at once, such as the end of all claims of a pool, come to one more look.
    if (!(await services.state.delete(`again/${key}`))) return run;
  }
}

const againSeconds = 60;
const maxRounds = 3;

async function look(
  services: LifecycleServices,
  cluster: ClusterServices,
  name: string,
  turn: Turn,
  signal: AbortSignal,
): Promise<Result<PoolOutcome>> {
  // Under the lock: replicas from before it may be old.
  const read = await cluster.api.get<StoredPool>(nodePools, { name }, signal);
  if (!read.ok && read.error.kind === 'not-found') forgetPool(services.metrics, cluster.name, name);
  if (!read.ok) return read.error.kind === 'not-found' ? done : read;
  const pool = read.value;
  const wish = wishOf(pool);
  const [first] = wish ? cluster.serving(wish) : [];
  if (!wish || !first) return done;

  const now = services.clock.now();
  const chosen = await chooseAmong(cluster, wish, signal);
  const served = (chosen.ok && chosen.value) || first;
  const nodeClass: ClassState = chosen.ok
    ? await readClassState(services, cluster, served, wish.nodeClassRef, signal)
    : { state: 'unknown', message: `spec.template.${chosen.error.message}` };
  const { hash, images } = nodeClass.state === 'ready' ? nodeClass : {};
  const at: Look = {
    services,
    cluster,
    pool,
    served,
    nodeClass,
    today: todayOf(pool.spec.template, { hash, images }, now),
    turn,
    signal,
  };
  // A name that is no label can't even be asked for, and no claim carries it.
  if (pool.spec.replicas === undefined || pool.metadata.name.length > longestLabelValue) {
    await say(at, undefined);
    return done;
  }
  // Before the list: what was made until then is in it.
  const numbers = await services.state.get<Numbers>(numbersKey(at));
  const observed = await observeClaims(cluster, pool, at.today, signal);
  if (!observed.ok) return observed;
  return keepReplicas({ ...at, numbers }, pool.spec.replicas, observed.value);
}

/** What the pool's claims will ask for. */
function wishOf({ spec }: StoredPool): ServedClaim | undefined {
  const { nodeClassRef } = spec?.template?.spec ?? {};
  const { labels = {}, annotations: said = {} } = spec?.template?.metadata ?? {};
  return nodeClassRef && { nodeClassRef, labels, annotations: said };
}

async function keepReplicas(at: Look, replicas: number, observed: Observed): Promise<Result<PoolOutcome>> {
  const { services, cluster, pool, signal } = at;
  const { claims } = observed;
  const tries = await services.state.get<Tries>(triesKey(at.cluster.name, at.pool.metadata.uid));
  const question: TryQuestion = {
    before: tries?.value,
    generation: pool.metadata.generation ?? 0,
    claims,
    now: at.today.now,
  };
  const failure = await lastPoolFailure(services, cluster.name, pool.metadata.uid);
  const anyNode = claims.some((claim) => claim.initialized);
  const health = registrationHealth({
    failedRounds: replicas === 0 ? 0 : failedRounds(question),
    roundBeganAt: tries?.value.at,
    anyInitialized: anyNode,
    failure,
  });
  const { nodes, resources } = sumOf(observed);
  await say(at, health, { nodes, resources });
  reportPool(services.metrics, cluster.name, pool, { nodes, resources }, at.today.now);

  if (pool.metadata.annotations?.[annotations.paused] === 'true') return done;
  if (pool.metadata.deletionTimestamp !== undefined) {
    // `kubectl delete --cascade=orphan`: somebody wants to keep the nodes without the pool.
    if (pool.metadata.finalizers?.includes('orphan')) return done;
    const all = claims.filter(({ deleting }) => !deleting).map((claim) => ({ claim, reason: 'PoolDeleted' as const }));
    const removed = await removeClaims(services, cluster, pool, all, { ...observed, today: at.today }, at.turn, signal);
    if (!removed.ok) return removed;
    return removed.value === 'changed' ? ok({ state: 'unsettled', uid: pool.metadata.uid }) : done;
  }
  // What is wrong with it stands in its condition; nobody knows what was meant, so nothing is made or removed.
  if (wishesProblems(pool, cluster.maxReplicas).length > 0) return done;
  await stampClaims(services, cluster, at.today, observed, at.turn, signal);
  await sayDrifted(services, cluster, observed, at.turn, signal);
  const plan = await decide(at, replicas, observed);
  if (!plan.ok) return plan;
  if (plan.value.held) await sayHeld(at, plan.value.held);
  // First what is too much: that never has to wait for the cloud.
  const seen = { ...observed, today: at.today };
  const removed = await removeClaims(services, cluster, pool, plan.value.remove, seen, at.turn, signal);
  const made = await fill(at, plan.value, observed, question);
  if (!removed.ok) return removed;
  if (!made.ok) return made;
  const moving =
    made.value !== 0 || plan.value.remove.length > 0 || claims.some((claim) => claim.deleting || !claim.initialized);
  // A big pool is listed on its timer only.
  return moving && (claims.length <= mostToFollow || plan.value.isCut)
    ? ok({ state: 'unsettled', uid: pool.metadata.uid })
    : done;
}

const mostToFollow = 500;
/** The rest follows with the next look: one pool, however large, holds up nobody. */
const claimsAtOnce = 1000;
const podsWidth = 8;

/** Nodes and pods are only read where the decision depends on them. */
async function decide(at: Look, replicas: number, observed: Observed): Promise<Result<PoolPlan>> {
  const { services, cluster, pool, signal, today } = at;
  const input = {
    replicas,
    limit: nodeLimit(pool.spec),
    cap: cluster.maxInstances,
    atOnce: claimsAtOnce,
    budgets: pool.spec.disruption?.budgets ?? defaultBudgets,
    now: today.now,
  };
  let { claims } = observed;
  const alive = claims.filter(({ deleting }) => !deleting);
  if (alive.length > replicas || alive.some((claim) => claim.outdated !== undefined)) {
    const known = await observeNodes(cluster, pool, observed, signal);
    if (!known.ok) return known;
    claims = known.value;
  }
  const first = planPool({ ...input, claims });
  if (first.remove.some(({ claim, reason }) => reason === 'ScaledDown' && claim.initialized)) {
    claims = await observePods(cluster, claims, observed, today.now, signal);
  }
  const checked = new Set<string>();
  for (;;) {
    const plan = planPool({ ...input, claims });
    const touched = [
      ...plan.create.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces])),
      ...plan.remove.flatMap(({ claim, reason }) => (reason === 'ScaledDown' ? [] : [claim.name])),
    ].filter((name) => !checked.has(name));
    if (touched.length === 0) return ok(plan);
    const marked = new Set<string>();
    await inParallel(touched, podsWidth, async (name) => {
      checked.add(name);
      const stored = observed.stored.get(name);
      if (stored && (await hasMarkedPod(cluster, stored, services.clock.now(), signal))) marked.add(name);
    });
    claims = claims.map((claim): PoolClaim => (marked.has(claim.name) ? { ...claim, doNotDisrupt: true } : claim));
  }
}

/** Why nothing, or not everything, of what the pool asks for is done. */
async function sayHeld({ services, cluster, pool }: Look, held: NonNullable<PoolPlan['held']>): Promise<void> {
  const { reason, message } = held;
  if (!(await emitEventThrottled(services, cluster, subject(pool), 'Normal', reason, message))) return;
  const log = services.log.child({ cluster: cluster.name, function: 'static-pools' });
  log.write('pool.held', { pool: pool.metadata.name, reason, problem: message });
}

/** Answers how many claims were made; `later` while another process makes claims for another pool of the cluster. */
async function fill(
  at: Look,
  plan: PoolPlan,
  observed: Observed,
  question: TryQuestion,
): Promise<Result<number | 'later'>> {
  const { services, cluster, nodeClass, served, signal } = at;
  // A class that is not ready, a pause by hand and a pause after failures each keep us from making claims.
  if (plan.create.length === 0 || nodeClass.state !== 'ready' || waitUntil(question) !== undefined) return ok(0);
  if ((await pausedBy(services, cluster, served.provider.name)) !== undefined) return ok(0);
  const made = await withRoom(services, cluster, signal, async (room): Promise<Result<number>> => {
    const wanted = plan.create.slice(0, room);
    if (wanted.length < plan.create.length && !plan.held) {
      const message = `${plan.create.length} more claims are required, but maxInstances of the cluster is ${cluster.maxInstances}, and other claims leave room for ${wanted.length}`;
      await sayHeld(at, { reason: 'NodeLimitReached', message });
    }
    return wanted.length === 0 ? ok(0) : make(at, wanted, observed, question);
  });
  if (made === undefined) return ok('later');
  return made.ok ? made.value : made;
}

async function make(
  at: Look,
  wanted: PoolPlan['create'],
  observed: Observed,
  question: TryQuestion,
): Promise<Result<number>> {
  const { services, cluster, pool, turn, today, signal } = at;
  const { firstPauseSeconds: firstSeconds, maxPauseSeconds: maxSeconds } = services.settings;
  const tries = nextTries(question, { firstSeconds, maxSeconds, random: services.random });
  // Before the claims: a run that dies after them must not forget that it has tried.
  await services.state.put(triesKey(at.cluster.name, at.pool.metadata.uid), tries, { ttlSeconds: triesKeptSeconds });
  const made = await makeClaims(
    cluster,
    pool,
    {
      wanted,
      hash: today.hash,
      nodeClassHash: today.nodeClassHash,
      numbers: at.numbers?.value ?? noNumbers,
      isTaken: (name) => observed.stored.has(name),
      stop: () => signal.aborted || services.clock.now() >= turn.until,
    },
    signal,
  );
  // Another run of this pool that was faster has written the same.
  const condition = { ifVersion: at.numbers?.version ?? null, ttlSeconds: numbersKeptSeconds };
  await services.state.put(numbersKey(at), made.numbers, condition);
  const log = services.log.child({ cluster: cluster.name, function: 'static-pools' });
  if (made.count > 0) {
    const replacing = wanted.filter(({ replaces }) => replaces !== undefined).length;
    const message = `claims created: ${made.count}, replicas: ${pool.spec.replicas}${replacing > 0 ? `, ${replacing} of them to replace others` : ''}`;
    await emitEvent(services, cluster, subject(pool), 'Normal', replacing > 0 ? 'Replacing' : 'ScaledUp', message);
    log.write('pool.scaled', { pool: pool.metadata.name, made: made.count, replacing });
  }
  if (made.failure) {
    const { message } = made.failure;
    log.write('pool.failed', { pool: pool.metadata.name, problem: message });
    await emitEventThrottled(services, cluster, subject(pool), 'Warning', 'ClaimNotMade', message);
    return { ok: false, error: made.failure };
  }
  return ok(made.count);
}

/** Conditions and counts; written only when something is different. */
async function say(
  at: Look,
  health: ConditionChange | undefined,
  fields: { [field: string]: Json } = {},
): Promise<void> {
  const { services, cluster, pool, nodeClass, signal } = at;
  const problems = poolProblems(pool, cluster.maxReplicas);
  const before = conditionsOf(pool);
  // A failure of the spec before says nothing about this one.
  const isOld = health === undefined && findCondition(before, healthNotKnownYet.type)?.status === 'False';
  const changes = [...poolConditions(problems, nodeClass, health), ...(isOld ? [healthNotKnownYet] : [])];
  const generation = nodeClass.state === 'unknown' ? undefined : nodeClass.generation;
  const patch = objectStatusPatch(pool, at.today.now, changes, {
    ...fields,
    ...defined({ nodeClassObservedGeneration: generation }),
  });
  if (patch === undefined) return;
  const written = await writeStatus(cluster.api, nodePools, pool, patch, signal);
  if (!written.ok) {
    if (written.error.kind === 'conflict' || written.error.kind === 'not-found') return;
    const log = services.log.child({ cluster: cluster.name, function: 'static-pools' });
    return log.write('pool.failed', { pool: pool.metadata.name, problem: written.error.message });
  }
  for (const { type, status, reason = type, message = '' } of changes) {
    const known = before.find((one) => one.type === type);
    if (type === 'Ready' || status !== 'False' || known?.status === 'False') continue;
    // The condition names the failure itself; Events have reasons of a closed list.
    const told = type === 'NodeRegistrationHealthy' ? 'RegistrationFailed' : reason;
    await emitEvent(services, cluster, subject(pool), 'Warning', told, message);
  }
}

const subject = ({ metadata }: StoredPool) => ({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata });
const triesKeptSeconds = 86_400;
const numbersKey = ({ cluster, pool }: Look): string => `pool-names/${cluster.name}/${pool.metadata.uid}`;
/** Each batch begins it anew; after that long nobody waits for a name any more. */
const numbersKeptSeconds = 365 * 86_400;
