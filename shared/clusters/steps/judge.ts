/** Everything that is judged before anything is asked for: rules, policy, what a change may do, what Azure is likely to refuse. */
import { defined } from '../../base/defined.ts';
import { ok, type Result } from '../../base/result.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { type AsoKindName, asoKinds, type Served } from '../manifests/api-versions.ts';
import { generate } from '../manifests/generate.ts';
import type { PlannedStage } from '../manifests/manifest.ts';
import { isAsoKind } from '../manifests/resources.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { checkAccepted } from '../rules/accepted.ts';
import type { Change } from '../rules/changes.ts';
import { type Finding, isError, type Report } from '../rules/finding.ts';
import { checkWithoutManagement } from '../rules/without-management.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import { effective } from './effective.ts';
import type { RequestRecord } from './record.ts';
import { tagsOfRecord } from './record-in-azure.ts';

export interface Judged {
  /** What only Azure, the operator or a policy refuses may be accepted later; the rest needs a change of the request. */
  refusedBy?: 'rules' | 'policy' | 'operator' | 'preflight';
  findings: readonly Finding[];
  changes: readonly Change[];
  resolved?: Resolved;
  stages: readonly PlannedStage[];
  versions: RequestRecord['versions'];
}

export async function judge(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  record: RequestRecord | undefined,
  signal?: AbortSignal,
): Promise<Result<Judged>> {
  const refused = (
    refusedBy: NonNullable<Judged['refusedBy']>,
    findings: readonly Finding[],
    changes: readonly Change[] = [],
  ) => ok<Judged>({ refusedBy, findings, changes, stages: [], versions: {} });
  const today = toWireTime(services.clock.now()).slice(0, 10);
  const object = asObject(request);
  // What exists was accepted, whatever Azure offers by now.
  const asked = record === undefined ? place.preflight?.facts : undefined;
  const facts = (await asked?.(resolveLoosely(request, place), signal)) ?? {};
  const checked = checkAccepted(object, record?.spec, { types: place.poolTypes, today, ...facts });
  const findings = [...checked.findings, ...driverFindings(place, request)];
  if (findings.some(isError)) return refused('rules', findings);

  const { resolved, changes } = effective(request, record, place.poolTypes);
  // A request that names the driver has been told already.
  if (place.driver.name === 'arm' && request.spec.driver === undefined) {
    const report: Report = (severity, code, field, cause, fix) =>
      void findings.push({ severity, code, field, cause, fix });
    checkWithoutManagement(resolved, report);
    if (findings.some(isError)) return refused('rules', findings, changes);
  }
  const impossible = changes.filter((change) => change.class === 'new-cluster').map(impossibleChange);
  if (impossible.length > 0) return refused('rules', [...findings, ...impossible], changes);

  const allowed = await place.policy?.check({ request, resolved }, signal);
  if (allowed?.ok === false) return allowed;
  findings.push(...(allowed?.value ?? []));
  if (findings.some(isError)) return refused('policy', findings, changes);

  const served = await place.driver.served(signal);
  if (!served.ok) return served;
  const generated = generate(resolved, {
    deployment: services.deployment,
    uid: request.metadata.uid,
    seed: record?.seed,
    served: keepVersions(served.value, record?.versions ?? {}, resolved),
  });
  findings.push(...generated.findings);
  if (findings.some(isError)) return refused('operator', findings, changes);

  // What exists has been accepted; only something new may still be refused.
  if (record === undefined || changes.length > 0) {
    const asked = await place.preflight?.check({ request, resolved, served: served.value }, signal);
    if (asked?.ok === false) return asked;
    findings.push(...(asked?.value.findings ?? []));
    if (findings.some(isError)) return refused('preflight', findings, changes);
  }
  return ok({ findings, changes, resolved, stages: generated.stages, versions: versionsIn(generated.stages) });
}

/** What it amounts to now, from its record alone. */
export function manifestsOf(
  services: Pick<ClusterRequestServices, 'deployment'>,
  record: RequestRecord,
  more: { deleteGuard?: boolean } = {},
): readonly PlannedStage[] {
  const { uid, seed, resolved, versions, poolsExist, tagged } = record;
  const served = Object.fromEntries(Object.entries(versions).map(([kind, version]) => [kind, [version]]));
  const recordTags = tagged === true ? tagsOfRecord(record) : undefined;
  const context = { deployment: services.deployment, uid, seed, served, poolsExist, recordTags };
  return generate({ ...resolved, ...more }, context).stages;
}

const asObject = ({ metadata, spec }: StoredRequest) => {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion: clusterRequestApiVersion,
    kind: clusterRequestKind.kind,
    metadata: { name, namespace, uid },
    spec,
  };
};

/** For questions about a request whose fields were not checked yet. */
function resolveLoosely(request: StoredRequest, { poolTypes }: RequestPlace): Resolved {
  const { location } = request.spec as { location?: unknown };
  const spec = { ...request.spec, location: typeof location === 'string' ? location : '' };
  return resolve({ ...asObject(request), spec }, poolTypes);
}

function driverFindings({ driver, name }: RequestPlace, { spec }: StoredRequest): Finding[] {
  const wanted = spec.driver ?? driver.name;
  if (wanted === driver.name) return [];
  const cause = `requests in ${name} are carried out by the driver ${driver.name}, and this one asks for ${String(wanted).slice(0, 20)}`;
  const fix = 'remove the field, or make the request where that driver is used';
  return [{ severity: 'error', field: 'spec.driver', code: 'DriverNotAvailable', cause, fix }];
}

const impossibleChange = ({ field, why }: Change): Finding => ({
  severity: 'error',
  field,
  code: 'ChangeNotPossible',
  cause: `it cannot change for a cluster that exists: ${why}`,
  fix: 'set it back, or make another request for a new cluster',
});

/** An object keeps its API version while that is served: another one has other defaults in Azure. */
function keepVersions(served: Served, versions: RequestRecord['versions'], { aso }: Resolved): Served {
  const kept = Object.entries(served).map(([kind, there]) => {
    const before = versions[kind as AsoKindName];
    const chosen = kind === 'ManagedCluster' && aso.apiVersion !== undefined;
    return [kind, before !== undefined && !chosen && there?.includes(before) ? [before] : there];
  });
  return Object.fromEntries(kept) as Served;
}

function versionsIn(stages: readonly PlannedStage[]): RequestRecord['versions'] {
  const versions: RequestRecord['versions'] = {};
  for (const { kind, apiVersion } of stages.flatMap(({ manifests }) => manifests)) {
    if (isAsoKind(kind)) versions[kind] = apiVersion.slice(asoKinds[kind].group.length + 1);
  }
  return defined(versions);
}
