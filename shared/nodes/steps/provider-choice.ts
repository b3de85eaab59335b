/**
 * Which provider makes a claim's machine. The one that its attempt names, as long as that one knows its node class: a claim
 * stays with it until its end. Else whoever can serve it; of several the one that the claim's annotation names, else the
 * cluster's default. The choice is stamped into the attempt, so a default that changes later moves nobody.
 */

import { failedBy, misspelled, type Problem, quoteInput } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Provider, ServedClaim } from '../../providers/contract.ts';
import { resourceOf, type Serving } from '../../providers/serving.ts';
import type { AttemptRecord } from '../claims/attempt/attempt.ts';
import { annotations } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';
import type { ClusterServices } from './services.ts';

/** A pool's template says the same things as a claim. */
export const servedClaim = ({ metadata, spec }: Pick<StoredClaim, 'metadata' | 'spec'>): ServedClaim => ({
  nodeClassRef: spec?.nodeClassRef ?? { group: '', kind: '', name: '' },
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
});

/** Whether any provider here could serve the claim. */
export const isServed = (cluster: ClusterServices, claim: StoredClaim): boolean =>
  cluster.serving(servedClaim(claim)).length > 0;

/** The provider of this name, if it knows the claim's node class; whether it would take the claim today does not matter. */
export function servingAs(cluster: ClusterServices, claim: StoredClaim, name: string): Serving | undefined {
  const serving = cluster.serving(servedClaim(claim)).find(({ provider }) => provider.name === name);
  if (serving) return serving;
  const provider = cluster.providers.find((one) => one.name === name);
  const resource = provider && resourceOf(provider, servedClaim(claim).nodeClassRef);
  return provider && resource && { provider, type: cluster.providerTypes?.get(name) ?? name, resource };
}

/** Everybody who knows the claim's node class: one that would not take it today may have made its machine. */
export const ableProviders = (cluster: ClusterServices, claim: StoredClaim): Provider[] =>
  cluster.providers.filter((one) => resourceOf(one, servedClaim(claim).nodeClassRef) !== undefined);

/**
 * Undefined: nobody serves it. `invalid`: the annotation names nobody who could. `not-ready`: the cluster's settings can't
 * be read, or name a provider that is not configured, and a guess could put machines into the wrong place.
 */
export async function chooseProvider(
  cluster: ClusterServices,
  claim: StoredClaim,
  record: AttemptRecord | undefined,
  signal?: AbortSignal,
): Promise<Result<Serving | undefined>> {
  const served = servedClaim(claim);
  const recorded = record?.provider ? servingAs(cluster, claim, record.provider) : undefined;
  const wanted = served.annotations[annotations.provider];
  // What was begun somewhere stays there. A new attempt may go where its user says, because nothing is left of the last one.
  if (recorded && (record?.state === 'open' || wanted === undefined)) return ok(recorded);
  return chooseAmong(cluster, served, signal);
}

/** For who has no attempt yet. */
export async function chooseAmong(
  cluster: ClusterServices,
  claim: ServedClaim,
  signal?: AbortSignal,
): Promise<Result<Serving | undefined>> {
  const serving = cluster.serving(claim);
  if (serving.length === 0) return ok(undefined);
  const wanted = claim.annotations[annotations.provider];
  if (wanted !== undefined) {
    const named = called(serving, wanted);
    return named ? ok(named) : failedBy([notServing(cluster, claim, serving, wanted)]);
  }
  // Also where only one could serve it: the cluster may name one that is not configured here.
  const preferred = await cluster.preferredProviders(signal);
  if (!preferred.ok) return preferred;
  for (const name of preferred.value) {
    const one = called(serving, name);
    if (one) return ok(one);
  }
  return ok(serving[0]);
}

const called = (serving: readonly Serving[], wanted: string): Serving | undefined =>
  serving.find(({ provider }) => provider.name === wanted) ?? serving.find(({ type }) => type === wanted);

function notServing(
  cluster: ClusterServices,
  { nodeClassRef }: ServedClaim,
  serving: readonly Serving[],
  wanted: string,
): Problem {
  const able = [...new Set(serving.flatMap(({ provider, type }) => [provider.name, type]))];
  const path = `metadata.annotations["${annotations.provider}"]`;
  const known = cluster.providers.some(({ name }) => name === wanted);
  const problem = known
    ? `provider ${wanted} does not serve ${nodeClassRef.kind}`
    : `there is no provider ${quoteInput(wanted)} in cluster ${cluster.name}`;
  return misspelled(path, `${problem}; use one of ${able.join(', ')}, or remove the annotation`, wanted, able);
}
