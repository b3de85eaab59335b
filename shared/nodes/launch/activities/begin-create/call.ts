/** The one call that spends: within T of the right, and with the turn kept for as long as the cloud is at work. */

import { defined } from '../../../../base/defined.ts';
import type { ClaimFacts, CreateRequest } from '../../../../providers/contract.ts';
import { claimScopedName, instanceName, instanceToken } from '../../../claims/attempt/names.ts';
import { unregisteredTaint } from '../../../claims/spec/taints.ts';
import { endOperationTurn, keepOperationTurn, keepsTurn } from '../../../pauses/operation-turns.ts';
import type { StoredClaim } from '../../../steps/claim-access.ts';
import { handOver } from '../../../steps/claim-handover.ts';
import type { ClaimContext } from '../../../steps/lookup.ts';
import type { ClaimRef } from '../../../steps/services.ts';
import type { Called, Granted } from './facts.ts';
import type { Stop } from './gates.ts';
import { withoutTurn } from './turn.ts';

export async function call(facts: Granted): Promise<Stop | Pick<Called, 'answer' | 'tookMs'>> {
  const { services, input, context, place, right } = facts;
  const { clock } = services;
  // A machine that was put to sleep stops its monotonic clock; one whose clock was set back gains time on the other.
  const spentMs = Math.max(clock.monotonic() - right.started.monotonic, clock.now() - right.started.wall);
  const leftMs = place.provider.traits.writeSeconds * 1000 - spentMs;
  if (leftMs <= 0) {
    const why = 'the write permit expired before the provider was called';
    return await withoutTurn(facts, { do: 'again', seconds: 1, why });
  }
  const request = requestOf(facts);
  const limit = AbortSignal.any([context.signal, AbortSignal.timeout(Math.ceil(leftMs))]);
  const askedAt = clock.now();
  const answer = await place.provider.beginCreate(request, limit);
  const tookMs = clock.now() - askedAt;
  const { uid } = input.ref;
  if (answer.ok && !answer.value.done && !answer.value.operationEnded)
    await keepOperationTurn(services, place, uid, answer.value.retryAfterSeconds);
  else if (answer.ok || !keepsTurn(answer.error)) await endOperationTurn(services, place, uid);
  if (answer.ok) handOver(services, place.cluster, right.claim);
  return { answer, tookMs };
}

function requestOf({ input, place, at, read, nodeClass, right }: Granted): CreateRequest {
  const { ref, attempt, offering } = input;
  const { taints = [], startupTaints = [] } = read.claim.spec;
  return {
    owner: { ...place.owner, attempt },
    ...at,
    claimName: ref.name,
    claim: factsOf(read.claim),
    name: nameFor(place, ref, attempt),
    token: instanceToken(ref.uid, attempt),
    offering,
    ...defined({ alternatives: input.alternatives }),
    nodeClass: { name: nodeClass.name, spec: nodeClass.spec },
    labels: right.labels,
    taints: [unregisteredTaint, ...taints, ...startupTaints],
  };
}

/** From the claim as it was read: what changes in between is picked up when the node joins. */
const factsOf = ({ metadata, spec }: StoredClaim): ClaimFacts => ({
  createdAt: Date.parse(metadata.creationTimestamp ?? ''),
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  taints: spec.taints ?? [],
  startupTaints: spec.startupTaints ?? [],
  requests: spec.resources?.requests ?? {},
});

function nameFor(place: ClaimContext, ref: ClaimRef, attempt: number): string {
  const { idempotency, names } = place.provider.traits;
  const of = { claimName: ref.name, uid: ref.uid };
  return idempotency === 'claim-name' ? claimScopedName(of, names) : instanceName({ ...of, attempt }, names);
}
