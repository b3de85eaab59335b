/** Looks at a pool again soon while its claims come or go: its counts should be true, and its next step should not wait. */
import { eventBody } from '../../events/make.ts';
import type { PoolOutcome } from '../../shared/nodes/pools/reconcile-pool.ts';
import { NoRoomError } from '../../shared/queue/contract.ts';
import type { FunctionServices } from '../declaration.ts';

const afterSeconds = 5;

/** However many ask for it: one look in so many seconds. */
export async function followPool(
  services: FunctionServices,
  cluster: string,
  name: string,
  outcome: PoolOutcome,
): Promise<void> {
  if (outcome.state !== 'unsettled') return;
  const { state, ids, clock, events } = services;
  const first = await state.put(`follow/${cluster}/${outcome.uid}`, true, {
    ifVersion: null,
    ttlSeconds: afterSeconds,
  });
  if (first === undefined) return;
  const data = { cluster, name, uid: outcome.uid, deleting: false, observedBy: 'resync' as const };
  const attributes = { id: ids.next(), time: clock.now(), source: '/pools', subject: `${cluster}/${name}` };
  const body = eventBody('dev.poolwright.pool.changed.v1', data, attributes);
  // A little later than the mark lasts, so that this look can ask for the next one.
  try {
    await events.send([body], { delaySeconds: afterSeconds + 0.2, group: cluster });
  } catch (error) {
    // The timer of the pools looks at it again, only later.
    if (!(error instanceof NoRoomError)) throw error;
  }
}
