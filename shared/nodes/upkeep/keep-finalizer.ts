/**
 * Puts our finalizer back on a living claim that may have a machine. Somebody may take it off by accident (an apply of an old
 * manifest, a tool that replaces metadata); without it the next delete would leave the machine to garbage collection.
 */
import { mayHaveInstance } from '../claims/attempt/attempt.ts';
import { terminationFinalizer } from '../claims/spec/well-known.ts';
import { type ClaimChange, changeClaim, type StoredClaim } from '../steps/claim-access.ts';
import { refOf } from '../steps/ref.ts';
import { type ClusterServices, type LifecycleServices, logFor } from '../steps/services.ts';

export async function keepFinalizer(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(cluster.name, claim);
  const kept = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<boolean> => {
      if (read.found !== 'claim') return { write: undefined, result: false };
      const { view } = read;
      if (view.deleting || view.finalizer || !view.record || !mayHaveInstance(view))
        return { write: undefined, result: false };
      const finalizers = [...(read.claim.metadata.finalizers ?? []), terminationFinalizer];
      return { write: { metadata: { finalizers } }, result: true };
    },
    signal,
  );
  // A failure is the next resync's to repair.
  if (kept.ok && kept.result) logFor(services, ref).write('claim.finalizer.restored');
}
