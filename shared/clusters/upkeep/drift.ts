/** Compares a cluster that is ready with what its request amounts to. Nothing is repaired: a difference is named, and people decide. */
import { defined } from '../../base/defined.ts';
import { fingerprint } from '../../base/fingerprint.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { toWireTime } from '../../kube/conditions.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { Manifest, PlannedStage } from '../manifests/manifest.ts';
import { resourceOf } from '../manifests/resources.ts';
import { requestConditions } from '../request/marks.ts';
import type { ClusterRequestStatus } from '../request/status.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import { manifestsOf } from '../steps/judge.ts';
import { withNewCluster } from '../steps/new-cluster.ts';
import { logFor } from '../steps/place.ts';
import { type RequestRecord, recordOf } from '../steps/record.ts';
import { changeRequest } from '../steps/request-access.ts';
import { statusChange, withConditions } from '../steps/status.ts';
import { refOf } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';
import { differencesOf } from './differences.ts';
import { phaseOf } from './phase-of.ts';
import { isResting, rest } from './rest.ts';

type Drift = NonNullable<ClusterRequestStatus['drift']>;

/** A cluster that somebody has rebuilt by hand differs everywhere. */
const mostDifferences = 20;
const shownFields = 3;

export async function checkDrift(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<void> {
  const now = services.clock.now();
  const record = recordOf(request);
  const checkedAt = Date.parse(request.status?.driftCheckedAt ?? '');
  if (record === undefined || phaseOf(request) !== 'ready') return;
  if (now < checkedAt + place.settings.driftSeconds * 1000) return;
  const ref = refOf(place.name, request);
  if (await isResting(services, ref)) return;
  const found = await differences(services, place, ref, record, signal);
  if (!found.ok) {
    logFor(services, ref).write('cluster-requests.undecided', { problem: found.error.message });
    return await rest(services, place, ref);
  }
  await tell(services, place, ref, request, record, found.value.slice(0, mostDifferences), signal);
}

async function differences(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  record: RequestRecord,
  signal: AbortSignal,
): Promise<Result<Drift>> {
  const planned = manifestsOf(services, record);
  const drift: Drift = [];
  for (const manifest of manifestsFor('management', planned)) {
    const observed = await place.driver.observe(manifest, signal);
    if (!observed.ok) return observed;
    const { spec, status } = observed.value ?? {};
    drift.push(...driftOf(manifest, observed.value === undefined ? undefined : [spec, status && told(status)]));
  }
  const there = manifestsFor('new', planned);
  if (there.length === 0) return ok(drift);
  return await withNewCluster(
    services,
    place,
    ref,
    planned,
    async ({ api }) => {
      for (const manifest of there) {
        const { name } = manifest.metadata;
        const live = await api.get<KubeObject & { spec?: JsonObject }>(resourceOf(manifest), { name }, signal);
        if (!live.ok && live.error.kind !== 'not-found') return live;
        drift.push(...driftOf(manifest, live.ok ? [live.value.spec] : undefined));
      }
      return ok(drift);
    },
    signal,
  );
}

/** In a status of Azure, these say what the resource is; its own type has another name there. */
function told({ id: _, name: __, type: ___, propertiesType, ...rest }: JsonObject): JsonObject {
  return propertiesType === undefined ? rest : { ...rest, type: propertiesType };
}

const manifestsFor = (where: PlannedStage['cluster'], planned: readonly PlannedStage[]): Manifest[] =>
  planned.filter(({ cluster }) => cluster === where).flatMap(({ manifests }) => manifests);

/** @param found Undefined: it is not there. */
function driftOf({ kind, metadata, spec }: Manifest, found: readonly (JsonObject | undefined)[] | undefined): Drift {
  const object = `${kind}/${metadata.name}`;
  if (found === undefined) return [{ object, field: 'metadata', wanted: 'present', found: 'absent' }];
  const known = found.filter((one): one is JsonObject => isObject(one));
  return differencesOf(spec, known).map((difference) => ({ object, ...difference, field: `spec.${difference.field}` }));
}

async function tell(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  record: RequestRecord,
  drift: Drift,
  signal: AbortSignal,
): Promise<void> {
  const now = services.clock.now();
  const isNew = drift.length > 0 && JSON.stringify(request.status?.drift ?? []) !== JSON.stringify(drift);
  const message = sentence(drift);
  const written = await changeRequest(
    place,
    ref,
    (latest) => {
      if (recordOf(latest)?.attempt !== record.attempt || phaseOf(latest) !== 'ready') return undefined;
      const { drifted } = requestConditions;
      const change =
        drift.length === 0
          ? { type: drifted, status: 'False' as const, reason: 'InSync' }
          : { type: drifted, status: 'True' as const, reason: 'Drifted', message };
      const conditions = withConditions(latest, [change], now);
      const fields = { drift: drift.length === 0 ? null : drift, driftCheckedAt: toWireTime(now) };
      const status = statusChange(latest, { ...fields, ...defined({ conditions }) });
      return status && { status };
    },
    signal,
    request,
  );
  if (!written.ok || written.request === undefined || !isNew) return;
  const log = logFor(services, ref);
  log.write('cluster-request.drifted', { problem: message, fields: drift.length });
  const id = `${ref.uid}/${record.attempt}/drifted/${fingerprint(drift)}`;
  const notice = { type: 'drifted' as const, ref, id, at: now, request: written.request, message };
  const told = await place.notifier?.notify(notice, signal);
  if (told?.ok === false) log.write('cluster-request.notice.failed', { problem: told.error.message });
}

function sentence(drift: Drift): string {
  const first = drift
    .slice(0, shownFields)
    .map(({ object, field, wanted, found }) => `${object}: ${field} is ${found}, and the request wants ${wanted}`);
  const more = drift.length - first.length;
  return `${first.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
