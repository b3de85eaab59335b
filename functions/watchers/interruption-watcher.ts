/**
 * The watcher of what the cloud says about machines: one message of EventBridge in, a claim deleted or an Event told.
 * Messages are about every machine of an account; what is not ours, or is about something else, is counted and dropped.
 */

import { type InterruptionMessage, parseEventBridge } from '../../events/event-bridge.ts';
import { doubled } from '../../shared/base/backoff.ts';
import { inParallel } from '../../shared/base/in-parallel.ts';
import type { Failure } from '../../shared/base/result.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { hearsOfInterruptions } from '../../shared/nodes/upkeep/interruption/claim-list.ts';
import { interruptInstance } from '../../shared/nodes/upkeep/interruption/interrupt.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { FunctionServices, QueueFunction } from '../declaration.ts';

const firstPauseSeconds = 1;
/** The machine may be gone in two minutes: who waits longer between two tries need not try. */
const longestPauseSeconds = 20;
/** A claim whose launch dies right between its machine and its record is found by the message about the machine's end. */
const mostLooks = 6;
/** One message of AWS Health may name many machines. */
const width = 16;

export const interruptionWatcher: QueueFunction = {
  name: 'watch-interruptions',
  trigger: { type: 'queue', queue: 'interruptions' },
  async handle(services, { body, receiveCount }, signal) {
    const { metrics } = services;
    const parsed = parseEventBridge(body);
    const first = receiveCount <= 1;
    const type = parsed.is === 'interruption' ? parsed.message.kind : parsed.is === 'other' ? 'no_op' : 'malformed';
    if (first) metrics.interruptionsReceived.inc({ message_type: type });
    if (parsed.is === 'malformed') sayMalformed(services, parsed.problem);
    if (parsed.is !== 'interruption') {
      metrics.interruptionsDeleted.inc();
      return 'done';
    }
    const { at } = parsed.message;
    const waitedSeconds = at === undefined ? 0 : (services.clock.now() - at) / 1000;
    if (first && at !== undefined) metrics.interruptionQueueDuration.observe({}, Math.max(0, waitedSeconds));
    const handled = await interruptAll(services, parsed.message, receiveCount, signal);
    if (handled === 'done') metrics.interruptionsDeleted.inc();
    return handled;
  },
};

async function interruptAll(
  services: FunctionServices,
  { kind, reason, instances }: InterruptionMessage,
  receiveCount: number,
  signal: AbortSignal,
): Promise<Handled> {
  const clusters = await whereWeAct(services);
  let failure = clusters.unknown;
  let unrecorded = false;
  await inParallel(instances, width, async (instance) => {
    const outcome = await interruptInstance(services, clusters.acting, instance, { kind, reason }, signal);
    if (!outcome.ok) failure ??= outcome.error;
    else unrecorded ||= outcome.value === 'not-recorded';
  });
  const pause = doubled(receiveCount, firstPauseSeconds, longestPauseSeconds);
  if (failure) return { retryAfterSeconds: Math.max(pause, failure.retryAfterSeconds ?? 0), reason: failure.message };
  if (!unrecorded || receiveCount >= mostLooks) return 'done';
  return { retryAfterSeconds: pause, reason: 'the claim does not have this instance yet' };
}

/** Clusters of others have their own messages; where nobody knows who acts, the message comes again. */
async function whereWeAct(
  services: FunctionServices,
): Promise<{ acting: ClusterServices[]; unknown?: Failure | undefined }> {
  const acting: ClusterServices[] = [];
  let unknown: Failure | undefined;
  for (const cluster of services.clusters) {
    if (!cluster.providers.some(hearsOfInterruptions)) continue;
    const standing = await services.ownership.standing(cluster.name);
    if (standing.acts) acting.push(cluster);
    else if (standing.reason === 'OwnerUnknown') unknown ??= { kind: 'unavailable', message: standing.why };
  }
  return { acting, unknown };
}

const sayAgainMs = 60_000;
const said = new WeakMap<FunctionServices, { at: number; since: number }>();

/** Whoever writes nonsense to the queue writes much of it: one line a minute says how much, and never what stood in it. */
function sayMalformed(services: FunctionServices, problem: string): void {
  const now = services.clock.now();
  const last = said.get(services);
  if (last && now - last.at < sayAgainMs) {
    last.since++;
    return;
  }
  said.set(services, { at: now, since: 0 });
  services.log.write('interruption.malformed', { problem, dropped: 1 + (last?.since ?? 0) });
}
