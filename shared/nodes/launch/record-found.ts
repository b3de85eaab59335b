/**
 * Writes the record of an instance that was found and not bought by this attempt: one that a restore of etcd forgot (rule 4),
 * that a predecessor made (rule 11), or that an unreadable record was about (rule 12). The rule decides; the patch is the same.
 */

import type { Json } from '../../base/json.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import { formatRecord } from '../claims/attempt/annotation.ts';
import type { adoptInstance, ClaimView, rebuildRecord, takeOver } from '../claims/attempt/attempt.ts';
import { annotations, terminationFinalizer } from '../claims/spec/well-known.ts';
import { lookUpPrice, priceChange } from '../offerings/price.ts';
import {
  type Changed,
  type ClaimChange,
  type ClaimRead,
  changeClaim,
  type StoredClaim,
  viewOf,
} from '../steps/claim-access.ts';
import { viewInstance } from '../steps/instance-view.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../steps/services.ts';

type Rule = typeof adoptInstance | typeof takeOver | typeof rebuildRecord;

export interface Finder {
  services: LifecycleServices;
  cluster: ClusterServices;
  provider: Provider;
  ref: ClaimRef;
  signal: AbortSignal;
}

export interface FoundBy {
  rule: Rule;
  /** Where the provider looked. */
  at: { place?: string };
  /** A price that the claim already states stays where the catalog has none; otherwise it is removed. */
  keepPrice?: true;
  /** A reading to begin with, instead of a new one. */
  first?: ClaimRead;
}

/** `view`: the claim as the verdict saw it. */
export type Recorded = Changed<{ verdict: ReturnType<Rule>; view: ClaimView | undefined }>;

export async function recordFound(
  { services, cluster, provider, ref, signal }: Finder,
  claim: StoredClaim,
  instance: Instance,
  { rule, at, keepPrice, first }: FoundBy,
): Promise<Recorded> {
  const { offering } = instance;
  const price = await lookUpPrice(services, cluster, provider, claim, offering, signal);
  return await changeClaim(
    cluster,
    ref,
    (fresh): ClaimChange<{ verdict: ReturnType<Rule>; view: ClaimView | undefined }> => {
      const view = viewOf(fresh);
      const bought = { provider: provider.name, ...at, offering };
      const verdict = rule(view, { ...viewInstance(instance, cluster, view), ...bought });
      const result = { verdict, view };
      if (!verdict.ok || fresh.found !== 'claim') return { write: undefined, result };
      const prices = keepPrice && price === undefined ? {} : priceChange(fresh.claim, price);
      return { write: patchOf(fresh.claim, fresh.view, formatRecord(verdict.record), prices), result };
    },
    signal,
    first,
  );
}

const patchOf = (
  { metadata }: StoredClaim,
  { finalizer }: ClaimView,
  record: string,
  prices: { [key: string]: string | null },
): Json => ({
  metadata: {
    annotations: { [annotations.attempt]: record, ...prices },
    ...(finalizer ? {} : { finalizers: [...(metadata.finalizers ?? []), terminationFinalizer] }),
  },
});
