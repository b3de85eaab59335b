/**
 * Which claims a static pool needs and which it does not. Pure, and computed afresh from what is there each time: no memory
 * of what was begun is needed, so nothing is lost when a run dies in the middle.
 *
 * Outdated claims (drifted, expired) are replaced: first another claim is made, which names the one that it replaces, and
 * when its node serves, the outdated one goes. Both steps keep to the disruption budgets.
 */
import { type Allowance, allowance } from '../disruption/budgets.ts';
import { inRemovalOrder } from '../disruption/removal-order.ts';
import type { Budget, OutdatedReason, PoolClaim } from '../disruption/types.ts';

export interface PlanInput {
  replicas: number;
  /** `limits.nodes`: no more claims than this, those that are being deleted included. */
  limit?: number | undefined;
  /** `maxInstances` of the cluster: further claims would only wait. */
  cap?: number | undefined;
  /** No plan makes more claims than this. */
  atOnce?: number;
  budgets: readonly Budget[];
  claims: readonly PoolClaim[];
  now: number;
}

export interface PoolPlan {
  /** One entry for each claim to make; `replaces` names the one that it is made for. */
  create: { replaces?: string }[];
  remove: { claim: PoolClaim; reason: 'ScaledDown' | OutdatedReason }[];
  /** More claims are missing than a plan makes. */
  isCut?: true;
  /** Why not more is done, when something waits for a budget, a limit or a mark. */
  held?: { reason: 'NodeLimitReached' | 'DisruptionBlocked'; message: string };
}

/** The name that drift has in budgets. Expiry has none there, so only budgets for every reason hold it up. */
const budgetReason = (claim: PoolClaim): string => (claim.outdated === 'Expired' ? 'Expired' : 'Drifted');

export function planPool(input: PlanInput): PoolPlan {
  const { replicas, claims } = input;
  const alive = claims.filter(({ deleting }) => !deleting);
  // No pod can be on a node that was never there: such a claim is not worth a replacement, it is made anew.
  const stillborn = alive.filter((claim) => claim.outdated !== undefined && !claim.initialized);
  const kept = alive.filter((claim) => !stillborn.includes(claim));
  const remove: PoolPlan['remove'] = stillborn.map((claim) => ({ claim, reason: claim.outdated ?? 'Expired' }));
  const { limit = Number.POSITIVE_INFINITY, cap = Number.POSITIVE_INFINITY, atOnce = Number.POSITIVE_INFINITY } = input;
  const room = Math.max(0, Math.min(limit, cap) - claims.length);

  const missing = replicas - kept.length;
  if (missing > 0) {
    const possible = Math.min(missing, room);
    const create = Array.from({ length: Math.min(possible, atOnce) }, () => ({}));
    const plan: PoolPlan = { create, remove, ...(create.length < possible ? { isCut: true } : {}) };
    if (possible === missing) return plan;
    const message = `${replicas} nodes are required and ${claims.length} exist or are being deleted, but ${limitOf(input)}`;
    return { ...plan, held: { reason: 'NodeLimitReached', message } };
  }

  // Nearly always: the order does not change with what goes, so it is made once, also for thousands.
  if (pairsIn(kept).size === 0 && kept.length > replicas) {
    const going = inRemovalOrder(kept).slice(0, kept.length - replicas);
    return { create: [], remove: [...remove, ...going.map((claim) => ({ claim, reason: 'ScaledDown' as const }))] };
  }
  // One by one: with an outdated claim that goes, its replacement becomes one too many.
  let left = kept;
  for (let pairs = pairsIn(left); left.length - pairs.size > replicas; pairs = pairsIn(left)) {
    const [claim] = inRemovalOrder(left);
    if (!claim) break;
    remove.push({ claim, reason: 'ScaledDown' });
    left = left.filter((one) => one !== claim);
  }
  if (left !== kept || !left.some(isOutdated)) return { create: [], remove };
  const replaced = replaceOutdated(input, kept, room);
  return { ...replaced, remove: [...remove, ...replaced.remove] };
}

/** What keeps a pool from having more claims. */
const limitOf = ({ limit = Number.POSITIVE_INFINITY, cap = Number.POSITIVE_INFINITY }: PlanInput): string =>
  limit <= cap ? `limits.nodes is ${limit}` : `maxInstances of the cluster is ${cap}`;

const isOutdated = (claim: PoolClaim): boolean => claim.outdated !== undefined;

/** Outdated claims that may go and whose replacement is there, and is not outdated itself by now. */
function pairsIn(claims: readonly PoolClaim[]): Map<PoolClaim, PoolClaim> {
  const going = claims.filter((claim) => isOutdated(claim) && mayMove(claim));
  const old = new Map(going.map((claim) => [claim.name, claim]));
  const pairs = new Map<PoolClaim, PoolClaim>();
  for (const claim of claims) {
    const replaced = claim.replaces === undefined || isOutdated(claim) ? undefined : old.get(claim.replaces);
    // Names come back: an older claim replaced another one that was called the same.
    if (replaced && replaced.createdAt <= claim.createdAt && !pairs.has(replaced)) pairs.set(replaced, claim);
  }
  return pairs;
}

/** Here there are never more claims than the replicas and the pairs. */
function replaceOutdated(input: PlanInput, kept: readonly PoolClaim[], room: number): PoolPlan {
  const { replicas, claims, budgets, now } = input;
  const outdated = kept.filter(isOutdated);
  const pairs = pairsIn(kept);
  const nodes = claims.filter(({ initialized }) => initialized);
  const disrupted = nodes.filter((claim) => claim.deleting || !claim.nodeReady).length;
  const allowed = new Map(
    ['Drifted', 'Expired'].map((reason) => [reason, allowance(budgets, reason, nodes.length, now)]),
  );
  const budgetFor = (old: PoolClaim): Allowance => allowed.get(budgetReason(old)) ?? { nodes: 0 };
  // What is taken counts for every reason: a budget is about nodes that are disrupted, whatever for.
  let taken = disrupted;

  // When other claims were lost, replacements stand in for those: then some old ones have none any more.
  let surplus = kept.length - replicas;
  let serving = kept.filter(serves).length;
  const remove: PoolPlan['remove'] = [];
  const waiting: PoolClaim[] = [];
  let underWay = 0;
  const movable = inRemovalOrder(outdated.filter(mayMove));
  for (const old of movable) {
    const replacement = pairs.get(old);
    if (!replacement || surplus === 0) {
      waiting.push(old);
      continue;
    }
    surplus--;
    if (serves(old)) {
      if (!serves(replacement) || serving <= replicas || budgetFor(old).nodes - taken < 1) {
        underWay++;
        continue;
      }
      serving--;
      taken++;
    }
    remove.push({ claim: old, reason: old.outdated ?? 'Expired' });
  }

  // A replacement on its way leads to a disruption, so it counts like one already. A node that is not ready is disrupted
  // already: to replace it takes nothing from the budget.
  let begunNow = 0;
  const begun = waiting.filter((old) => {
    if (!serves(old)) return true;
    const isFree = budgetFor(old).nodes - taken - underWay - begunNow > 0;
    if (isFree) begunNow++;
    return isFree;
  });
  const create = begun.slice(0, room).map(({ name }) => ({ replaces: name }));
  // While something comes or goes there is nothing to complain about.
  if (create.length + remove.length + underWay > 0 || nodes.some(({ deleting }) => deleting)) return { create, remove };

  const budget = movable[0] ? budgetFor(movable[0]) : { nodes: 0 };
  const what = `${outdated.length} of ${kept.length} nodes are outdated and waiting for replacement`;
  const already = disrupted > 0 ? `, with ${disrupted} not ready` : '';
  const why =
    begun.length > 0
      ? `replacing one needs one more node, but ${limitOf(input)}`
      : movable.length === 0
        ? 'they are marked do-not-disrupt'
        : `${budget.because ?? 'no budget'} allows ${budget.nodes} at a time${already}`;
  return { create, remove, held: { reason: 'DisruptionBlocked', message: `${what}: ${why}` } };
}

/** Its node is ready now and was accepted: pods run on it. */
const serves = (claim: PoolClaim): boolean => claim.initialized && claim.nodeReady;

/** The end of a node's time comes whatever is on it; drift waits for those who asked to be left alone. */
const mayMove = (claim: PoolClaim): boolean => claim.outdated === 'Expired' || !claim.doNotDisrupt;
