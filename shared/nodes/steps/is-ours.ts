/** Whether a claim belongs to this deployment. */
import { type StoredClaim, viewClaim } from './claim-access.ts';
import { isServed } from './provider-choice.ts';
import type { LifecycleServices } from './services.ts';

/** Whether a claim is ours at all: a provider here serves it, or it carries a record of ours. */
export const isOurs = (services: LifecycleServices, clusterName: string, claim: StoredClaim): boolean => {
  const cluster = services.cluster(clusterName);
  // The record is read only where it matters: whoever lists all claims asks this for each.
  if (cluster !== undefined && isServed(cluster, claim)) return true;
  const view = viewClaim(claim);
  return view.record !== undefined || view.unreadable === true;
};
