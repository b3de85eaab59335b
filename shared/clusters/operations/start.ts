/** Lets the work on a request begin at once. An engine that can't be reached now costs time, nothing more: the next round starts it. */
import { wakeRequest } from '../ensure.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { logFor } from '../steps/place.ts';
import { refOf } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';

export async function startWork(
  services: ClusterRequestServices,
  { name, api }: RequestPlace,
  request: StoredRequest,
): Promise<void> {
  const ref = refOf(name, request);
  const late = (error: unknown): void => logFor(services, ref).write('cluster-request.start.late', { error });
  try {
    // In a cluster of another deployment that one begins; here every step would only wait.
    if (api !== undefined && !(await services.ownership.standing(name)).acts) return;
    const woken = await wakeRequest(services, ref);
    if (!woken.ok) late(woken.error.message);
  } catch (error) {
    late(error);
  }
}
