/**
 * What would happen if somebody applied this claim or pool now. It chooses as a launch would (`pick-offering.ts`), and writes
 * nothing: no decision, no turn, no Event, no machine. What holds a launch up is told, and the choice all the same.
 */

import { mistakesIn, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Serving } from '../../providers/serving.ts';
import type { CatalogType } from '../claims/choice/catalog.ts';
import { type Chosen, type Picked, pickOffering } from '../offerings/pick-offering.ts';
import { pausedBy } from '../pauses/pauses.ts';
import { chooseAmong, servedClaim } from '../steps/provider-choice.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { choiceOf, noChoice, type PlanAnswer, pricesOf } from './answer.ts';
import { classFor } from './class.ts';
import { capOf, countOf } from './count.ts';
import { planHints } from './hints.ts';
import { type PlannedObject, readPlannedObject } from './object.ts';
import { type PlannedQuota, quotaAfter } from './quota.ts';

export interface PlanQuestion {
  object: unknown;
  /** Taken as if they existed, in place of those of the cluster. */
  nodeClasses?: readonly unknown[];
}

type Wait = { code: string; why: string };

export async function planObject(
  services: LifecycleServices,
  cluster: ClusterServices,
  { object, nodeClasses = [] }: PlanQuestion,
  signal: AbortSignal,
): Promise<Result<PlanAnswer>> {
  const known = cluster.providers.flatMap((provider) => provider.nodeClasses);
  const read = readPlannedObject(object, known, services.clock.now());
  if (!read.ok) return ok(invalid(read.problems));
  const planned = read.value;
  const { kind, name, claim, path } = planned;
  const chosen = await chooseAmong(cluster, servedClaim(claim), signal);
  if (!chosen.ok) return chosen.error.kind === 'invalid' ? ok(invalid(within(path, mistakesIn(chosen.error)))) : chosen;
  const ref = claim.spec.nodeClassRef;
  const head = { kind, name, nodeClass: `${ref.kind}/${ref.name}` };
  if (!chosen.value) {
    const served = [...new Set(known.map((one) => `${one.kind} (${one.group})`))].join(', ');
    const why = `no provider of cluster ${cluster.name} serves ${ref.kind} (${ref.group}); they serve ${served}`;
    return ok({ ...noChoice(), ...head, outcome: 'not-ours', why });
  }
  return await plan(services, cluster, chosen.value, planned, { head, nodeClasses }, signal);
}

async function plan(
  services: LifecycleServices,
  cluster: ClusterServices,
  served: Serving,
  planned: PlannedObject,
  { head, nodeClasses }: { head: object; nodeClasses: readonly unknown[] },
  signal: AbortSignal,
): Promise<Result<PlanAnswer>> {
  const { provider } = served;
  const { claim, path } = planned;
  const about = { ...head, provider: provider.name };
  const count = await countOf(cluster, planned, signal);
  if (!count.ok) return count;
  const waits: Wait[] = [];
  const standing = await services.ownership.standing(cluster.name);
  if (!standing.acts) waits.push({ code: standing.reason, why: standing.why });
  const paused = await pausedBy(services, cluster, provider.name);
  if (paused !== undefined) waits.push({ code: 'Paused', why: paused });

  const nodeClass = await classFor(services, cluster, served, claim.spec.nodeClassRef, nodeClasses, signal);
  if (!nodeClass.ok) {
    const { kind, message } = nodeClass.error;
    if (kind !== 'not-found' && kind !== 'not-ready') return nodeClass;
    const code = kind === 'not-found' ? 'NodeClassNotFound' : 'NodeClassNotReady';
    const [{ code: first, why } = { code, why: message }] = waits;
    return ok({ ...noChoice(), ...about, ...counted(count.value.count), outcome: 'wait', code: first, why });
  }
  const machines = count.value.count ?? 1;
  const cap = await capOf(services, cluster, machines);
  if (cap?.wait) waits.push(cap.wait);
  const picked = await pickOffering(services, provider, nodeClass.value, claim, signal);
  const verdict = verdictOf(picked, waits);
  const { chosen } = 'chosen' in picked ? picked : { chosen: undefined };
  const best = picked.do === 'take' ? picked.best : undefined;
  const type = chosen && best && typeNamed(chosen, best.instanceType);
  const quota = type && (await quotaAfter(provider, type, machines, signal));
  const hints = [
    ...count.value.hints,
    ...waits.slice(1).map(({ why }) => `also: ${why}`),
    // Where nothing fits, the nearest change says it.
    ...(chosen && chosen.choice.outcome !== 'impossible' ? planHints(claim.spec, chosen.question.catalog, path) : []),
    ...(cap?.hint ? [cap.hint] : []),
    ...(quota?.known === false ? [`the quota of provider ${provider.name} cannot be read: ${quota.why}`] : []),
    ...(quota?.known ? quota.quota.flatMap(overQuota) : []),
    ...oneAfterAnother(served, machines),
  ];
  return ok({
    ...about,
    ...verdict,
    ...counted(count.value.count),
    ...(chosen ? choiceOf(chosen, best) : noChoice()),
    ...(best === undefined ? {} : pricesOf(best, machines)),
    ...(picked.do === 'fail' && picked.problems ? { problems: within(path, picked.problems) } : {}),
    ...(cap ? { cap: cap.numbers } : {}),
    ...(quota?.known && quota.quota.length > 0 ? { quota: quota.quota } : {}),
    ...(hints.length === 0 ? {} : { hints }),
  });
}

const invalid = (problems: Problem[]): PlanAnswer => ({
  ...noChoice(),
  outcome: 'invalid',
  code: 'InvalidClaim',
  problems,
});

/** The mistakes of a claim, as they stand in what was planned: a pool has its claim in `spec.template`. */
const within = (path: string, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: `${path}${problem.path}` }));

const counted = (count: number | undefined) => (count === undefined ? {} : { count });

/** What stands in the way comes first: the choice is told beside it. */
function verdictOf(picked: Picked, [wait]: readonly Wait[]): Pick<PlanAnswer, 'outcome' | 'code' | 'why'> {
  if (picked.do === 'fail') {
    const { reason: code, failure } = picked;
    const isForNow = failure.kind === 'insufficient-capacity' || failure.kind === 'quota-exceeded';
    if (!isForNow) return { outcome: code === 'InvalidClaim' ? 'invalid' : 'impossible', code, why: failure.message };
    return { outcome: 'wait', ...(wait ?? { code, why: failure.message }) };
  }
  if (wait) return { outcome: 'wait', ...wait };
  if (picked.do === 'wait') return { outcome: 'wait', code: picked.reason, why: picked.message };
  return { outcome: 'launch', why: picked.chosen.choice.summary };
}

const typeNamed = ({ question }: Chosen, name: string): CatalogType | undefined =>
  question.catalog.types.find((type) => type.name === name);

const overQuota = ({ name, used, limit, unit, after }: PlannedQuota): string[] =>
  after === undefined || after <= limit
    ? []
    : [`${name} has ${used} of ${limit} ${unit} in use, and ${after} would exceed the quota: the cloud may refuse`];

function oneAfterAnother({ provider }: Serving, machines: number): string[] {
  const { operationsAtOnce: most } = provider.traits;
  if (most === undefined || machines <= most) return [];
  return [`provider ${provider.name} creates ${most} at a time, so some of these have to wait`];
}
