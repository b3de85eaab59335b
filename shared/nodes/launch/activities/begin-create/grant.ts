/** Rule 1: the right to write is one conditional patch of the claim. After it the provider may be called. */

import type { Json } from '../../../../base/json.ts';
import { formatRecord } from '../../../claims/attempt/annotation.ts';
import { type AttemptRecord, settleSeconds, takeWriteRight } from '../../../claims/attempt/attempt.ts';
import { annotations, terminationFinalizer } from '../../../claims/spec/well-known.ts';
import { priceChange } from '../../../offerings/price.ts';
import { type ClaimChange, type ClaimRead, changeClaim, viewOf } from '../../../steps/claim-access.ts';
import { labelsFor, takesAlternatives, unsureLabels } from '../../../steps/machine-labels.ts';
import { nodePoolOf } from '../../../steps/pool-owner.ts';
import { logFor } from '../../../steps/services.ts';
import { unwritten } from '../../../steps/unwritten.ts';
import type { Granted, Looked, Right } from './facts.ts';
import type { Stop } from './gates.ts';
import { unlessBegun, withoutTurn } from './turn.ts';

type Taken = ReturnType<typeof takeWriteRight>;
type Found = Extract<ClaimRead, { found: 'claim' }>;

export async function grant(facts: Looked): Promise<Stop | Pick<Granted, 'right'>> {
  const { services, input, context, read } = facts;
  const { cluster, provider } = facts.place;
  const execution = `${context.workflowId}#${services.ids.next()}`;
  let labels: Right['labels'] = {};
  let started: Right['started'] = { monotonic: 0, wall: 0 };
  const right = await changeClaim(
    cluster,
    input.ref,
    (fresh): ClaimChange<Taken> => {
      // What the look saw belongs to the claim that was read with it: after a conflict, look again.
      if (facts.looked && fresh !== read) return { write: undefined, result: { ok: false, why: 'moved-on' } };
      // T runs from the patch; counting from before it was sent is the safe side.
      started = { monotonic: services.clock.monotonic(), wall: services.clock.now() };
      const verdict = takeWriteRight(viewOf(fresh), {
        uid: input.ref.uid,
        attempt: input.attempt,
        provider: provider.name,
        ...facts.at,
        offering: input.offering,
        execution,
        ...(input.closer ? { closer: input.closer } : {}),
        idempotency: provider.traits.idempotency,
        now: services.clock.now(),
      });
      if (!verdict.ok || fresh.found !== 'claim') return { write: undefined, result: verdict };
      const patch = patchOf(facts, fresh, verdict.record);
      labels = patch.labels;
      return { write: patch.write, result: verdict };
    },
    context.signal,
    read,
  );
  if (!right.ok) return await withoutTurn(facts, await unwritten(services, cluster, read.claim, right.failure));
  const verdict = right.result;
  if (!verdict.ok) return await refused(facts, verdict.why);
  count(facts, verdict.record);
  return { right: { record: verdict.record, labels, started, claim: right.claim } };
}

function patchOf(
  { place, input }: Looked,
  { claim, view }: Found,
  record: AttemptRecord,
): { write: Json; labels: Right['labels'] } {
  // From the claim as it is: a label that a user has just changed must not be put back.
  const labels = labelsFor(claim, input.offering);
  // The cloud may take another one: what it took is written when it is known (`advance`).
  const unsure = takesAlternatives(place.provider) ? unsureLabels : [];
  for (const key of unsure) delete labels[key];
  const price = takesAlternatives(place.provider) ? undefined : input.price;
  const outdated = unsure.filter((key) => claim.metadata.labels?.[key] !== undefined);
  const finalizers = claim.metadata.finalizers ?? [];
  const write = {
    metadata: {
      annotations: {
        [annotations.attempt]: formatRecord(record),
        // A right that is taken again, by a launch that did not choose, changes nothing of it.
        ...(price === undefined && record.rights > 1 ? {} : priceChange(claim, price)),
      },
      labels: { ...labels, ...Object.fromEntries(outdated.map((key) => [key, null])) },
      ...(view.finalizer ? {} : { finalizers: [...finalizers, terminationFinalizer] }),
    },
  };
  return { write, labels };
}

async function refused(facts: Looked, why: Extract<Taken, { ok: false }>['why']): Promise<Stop> {
  if (why !== 'right-taken') return await unlessBegun(facts, facts.read.view, { do: 'refused', why });
  const settles = settleSeconds(facts.place.provider.traits);
  return await withoutTurn(facts, { do: 'right-taken', settleSeconds: settles });
}

function count({ services, input, context, read }: Looked, { rights }: AttemptRecord): void {
  const { ref, attempt, offering } = input;
  if (rights === 1 && attempt === 1) {
    const nodepool = services.metrics.nodePool(nodePoolOf(read.claim));
    services.metrics.nodeClaimsCreated.inc({ reason: 'provisioned', nodepool, min_values_relaxed: 'false' });
  }
  logFor(services, ref, context.workflowId).write('claim.launching', { attempt, ...offering });
}
