/**
 * A cluster that does not answer is left alone for a while: to wait for it in every round, for each of many that are stopped, would leave no
 * time for the others. A lost state costs one more try.
 */
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';

const longestRestSeconds = 600;

const keyOf = ({ cluster, uid }: RequestRef): string => `cluster-request-rest/${cluster}/${uid}`;

export const isResting = async ({ state }: ClusterRequestServices, ref: RequestRef): Promise<boolean> =>
  (await state.get(keyOf(ref))) !== undefined;

export async function rest(
  { state }: ClusterRequestServices,
  { settings }: RequestPlace,
  ref: RequestRef,
): Promise<void> {
  await state.put(keyOf(ref), true, { ttlSeconds: Math.min(longestRestSeconds, settings.driftSeconds) });
}
