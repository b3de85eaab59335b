/** Puts our hash on claims that carry one counted in another way: the nodes of a cluster that changes hands stay. */

import { inParallel } from '../../base/in-parallel.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { annotations } from '../claims/spec/well-known.ts';
import { needsStamp, type Today } from '../disruption/drift.ts';
import { hashVersion } from '../disruption/hash.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import type { Turn } from './lock.ts';
import type { Observed } from './observe.ts';

const width = 16;

/** One that can't be written is stamped next time. */
export async function stampClaims(
  services: LifecycleServices,
  { api }: ClusterServices,
  { hash }: Today,
  { claims, stored }: Observed,
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const due = claims.filter(({ name, deleting }) => {
    const claim = stored.get(name);
    return !deleting && claim !== undefined && needsStamp(claim);
  });
  const stamp = { [annotations.nodePoolHash]: hash, [annotations.nodePoolHashVersion]: hashVersion };
  await inParallel(
    due,
    width,
    async ({ name, uid }) => {
      await api.mergePatch(nodeClaims, { name }, { metadata: { uid, annotations: stamp } }, {}, signal);
    },
    () => signal.aborted || services.clock.now() >= turn.until,
  );
}
