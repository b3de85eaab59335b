/** notifyRequest: tells whoever wants to know. It never holds a request up: after a few tries the workflow goes on. */
import { defined } from '../../base/defined.ts';
import { findCondition } from '../../kube/conditions.ts';
import { requestConditions } from '../request/marks.ts';
import type { ClusterRequestServices, RequestNotice, RequestRef } from '../services.ts';
import type { NotifyResult } from '../steps/answers.ts';
import { againAfter, findPlace, isAgain, logFor } from '../steps/place.ts';
import { readRequest } from '../steps/request-access.ts';

interface Input {
  ref: RequestRef;
  type: RequestNotice['type'];
}
interface Context {
  signal: AbortSignal;
}

export const notifyRequest =
  (services: ClusterRequestServices) =>
  async ({ ref, type }: Input, { signal }: Context): Promise<NotifyResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    if (place.notifier === undefined) return { do: 'told' };
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    // Nobody is left to be told about.
    if (read.found === 'gone') return { do: 'told' };
    const { request } = read;
    const ready = findCondition(request.status?.conditions, requestConditions.ready);
    const { attempt = 0 } = request.status ?? {};
    const told = await place.notifier.notify(
      {
        type,
        ref,
        id: `${ref.uid}/${attempt}/${request.metadata.generation ?? 0}/${type}`,
        at: services.clock.now(),
        request,
        ...defined({
          code: type === 'failed' ? ready?.reason : undefined,
          message: type === 'failed' ? ready?.message : undefined,
        }),
      },
      signal,
    );
    if (told.ok) return { do: 'told' };
    logFor(services, ref).write('cluster-request.notice.failed', { problem: told.error.message });
    return againAfter(told.error, 5);
  };
