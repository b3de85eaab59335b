/**
 * finishRequest: what a request no longer asks for goes, and the request is Ready. Also when nothing had to be done: then it only says so.
 */
import { defined } from '../../base/defined.ts';
import { toWireTime } from '../../kube/conditions.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { requestConditions } from '../request/marks.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { FinishResult } from '../steps/answers.ts';
import { manifestsOf } from '../steps/judge.ts';
import { isElsewhere, keyOf, leftOver } from '../steps/own-things.ts';
import { againAfter, findPlace, isAgain, logFor } from '../steps/place.ts';
import { type RequestRecord, recordOf } from '../steps/record.ts';
import { changeRequest, readRequest } from '../steps/request-access.ts';
import { statusChange, withConditions } from '../steps/status.ts';
import { stopReason } from './advance.ts';

interface Input {
  ref: RequestRef;
  attempt: number;
}
interface Context {
  signal: AbortSignal;
}

/** Kinds of which a request may come to have fewer. The others end with the request, and never before. */
const pruned = new Set([
  'ManagedClustersAgentPool',
  'FederatedIdentityCredential',
  'Extension',
  'FluxConfiguration',
  'GitRepository',
  'Kustomization',
]);
const lookAgainSeconds = 5;

export const finishRequest =
  (services: ClusterRequestServices) =>
  async ({ ref, attempt }: Input, { signal }: Context): Promise<FinishResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found === 'gone') return { do: 'stop', why: 'the request is gone' };
    const { request } = read;
    const record = recordOf(request);
    const why = stopReason(request, record, attempt);
    if (why !== undefined || record === undefined) return { do: 'stop', why: why ?? 'its record is gone' };

    const wanted = manifestsOf(services, record).flatMap(({ manifests }) => manifests);
    const pruning = await prune(place, ref, record, wanted, signal);
    if (pruning !== undefined) return pruning;

    const now = services.clock.now();
    const first = request.status?.readyAt === undefined;
    const written = await changeRequest(
      place,
      ref,
      (latest) => {
        if (stopReason(latest, recordOf(latest), attempt) !== undefined) return undefined;
        const { ready, owned, drifted } = requestConditions;
        const conditions = withConditions(
          latest,
          [
            { type: owned, status: 'True' },
            { type: drifted, status: 'False', reason: 'InSync' },
            { type: ready, status: 'True', message: 'Everything that was asked for is there.' },
          ],
          now,
        );
        const fields = {
          observedGeneration: record.generation,
          retryAt: null,
          drift: null,
          driftCheckedAt: toWireTime(now),
        };
        const readyAt = latest.status?.readyAt ?? toWireTime(now);
        const status = statusChange(latest, { ...fields, readyAt, ...defined({ conditions }) });
        return status && { status };
      },
      signal,
      request,
    );
    if (!written.ok) return againAfter(written.failure);
    if (
      written.request === undefined ||
      stopReason(written.request, recordOf(written.request), attempt) !== undefined
    ) {
      return { do: 'stop', why: 'the request has changed' };
    }
    const seconds = (now - Date.parse(request.metadata.creationTimestamp)) / 1000;
    if (first && Number.isFinite(seconds)) {
      services.metrics.clusterReadyTime.observe({ nodes: record.resolved.nodes }, seconds);
    }
    logFor(services, ref).write('cluster-request.ready', { attempt, seconds: Math.round(seconds) });
    return { do: 'done' };
  };

/** Undefined: nothing is left over. */
async function prune(
  place: RequestPlace,
  ref: RequestRef,
  record: RequestRecord,
  wanted: readonly Manifest[],
  signal: AbortSignal,
): Promise<FinishResult | undefined> {
  const found = await place.driver.find(ref.uid, signal);
  if (!found.ok) return againAfter(found.error);
  const here = found.value.filter((one) => !isElsewhere(one, record));
  const left = leftOver(here, wanted, record).filter(({ kind }) => pruned.has(kind));
  for (const manifest of left) {
    const removed = await place.driver.remove(manifest, signal);
    if (!removed.ok) return againAfter(removed.error);
  }
  const names = left.map(keyOf).join(', ');
  return left.length === 0 ? undefined : { do: 'again', seconds: lookAgainSeconds, why: `${names} to be gone` };
}
