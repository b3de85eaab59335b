/**
 * Where a live cluster differs from its request, field by field, now: also what the request has asked for since and the host has not
 * applied yet. Only read; what can't be read is named, and is no difference.
 */
import type { JsonObject } from '../../base/json.ts';
import { failed, type Result } from '../../base/result.ts';
import type { ClusterApi, KubeObject } from '../../kube/contract.ts';
import type { Served } from '../manifests/api-versions.ts';
import { generate } from '../manifests/generate.ts';
import type { Manifest, PlannedStage } from '../manifests/manifest.ts';
import { resourceOf } from '../manifests/resources.ts';
import { isError } from '../rules/finding.ts';
import type { RequestPlace } from '../services.ts';
import { effective } from '../steps/effective.ts';
import { recordOf } from '../steps/record.ts';
import type { StoredRequest } from '../store/contract.ts';
import { differencesOf } from '../upkeep/differences.ts';

export interface DifferingField {
  /** Such as ManagedCluster/web. */
  object: string;
  field: string;
  wanted: string;
  found: string;
}

export interface RequestDifferences {
  differences: DifferingField[];
  notCompared: { object: string; why: string }[];
}

/** Opens the new cluster and closes it again. */
export type UseNewCluster = (
  planned: readonly PlannedStage[],
  use: (api: ClusterApi) => Promise<Result<void>>,
) => Promise<Result<void>>;

interface Parts {
  place: Pick<RequestPlace, 'driver' | 'poolTypes'>;
  deployment: string;
  /** Absent: what is in the new cluster is not compared, for this reason. */
  newCluster: UseNewCluster | { unavailable: string };
}

export async function diffRequest(
  { place, deployment, newCluster }: Parts,
  request: StoredRequest,
  signal?: AbortSignal,
): Promise<Result<RequestDifferences>> {
  const record = recordOf(request);
  const served = await servedFor(place, record?.versions, signal);
  if (!served.ok) return served;
  const { resolved } = effective(request, record, place.poolTypes);
  const uid = request.metadata.uid ?? '';
  const { stages, findings } = generate(resolved, {
    // What exists carries the name of the deployment that made it.
    deployment: record?.deployment ?? deployment,
    uid,
    served: served.value,
    ...(record === undefined ? {} : { poolsExist: record.poolsExist }),
  });
  const fault = findings.find(isError);
  if (fault !== undefined) return failed('unavailable', `${fault.cause}; ${fault.fix}`, { reason: fault.code });
  const answer: RequestDifferences = { differences: [], notCompared: [] };
  for (const manifest of manifestsIn(stages, 'management')) {
    const observed = await place.driver.observe(manifest, signal);
    if (!observed.ok) answer.notCompared.push({ object: nameOf(manifest), why: observed.error.message });
    else answer.differences.push(...between(manifest, observed.value && [observed.value.spec, observed.value.status]));
  }
  const there = manifestsIn(stages, 'new');
  const skip = (why: string): void => {
    for (const manifest of there) answer.notCompared.push({ object: nameOf(manifest), why });
  };
  if (there.length === 0) return { ok: true, value: answer };
  if ('unavailable' in newCluster) skip(newCluster.unavailable);
  else {
    const opened = await newCluster(stages, async (api) => {
      for (const manifest of there) {
        const { name } = manifest.metadata;
        const live = await api.get<KubeObject & { spec?: JsonObject }>(resourceOf(manifest), { name }, signal);
        if (live.ok) answer.differences.push(...between(manifest, [live.value.spec]));
        else if (live.error.kind === 'not-found') answer.differences.push(...between(manifest, undefined));
        else answer.notCompared.push({ object: nameOf(manifest), why: live.error.message });
      }
      return { ok: true, value: undefined };
    });
    if (!opened.ok) skip(opened.error.message);
  }
  return { ok: true, value: answer };
}

/** An object is compared in the version that it was written in. */
async function servedFor(
  { driver }: Pick<RequestPlace, 'driver'>,
  versions: Readonly<Record<string, string>> | undefined,
  signal?: AbortSignal,
): Promise<Result<Served>> {
  const served = await driver.served(signal);
  if (!served.ok) return served;
  const kept = Object.entries(versions ?? {}).map(([kind, version]) => [kind, [version]]);
  return { ok: true, value: { ...served.value, ...Object.fromEntries(kept) } as Served };
}

const manifestsIn = (stages: readonly PlannedStage[], where: PlannedStage['cluster']): Manifest[] =>
  stages.filter(({ cluster }) => cluster === where).flatMap(({ manifests }) => manifests);

const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

function between(manifest: Manifest, found: readonly (JsonObject | undefined)[] | undefined): DifferingField[] {
  const object = nameOf(manifest);
  if (found === undefined) return [{ object, field: 'metadata', wanted: 'present', found: 'absent' }];
  const told = found.filter((one): one is JsonObject => one !== undefined);
  return differencesOf(manifest.spec, told).map((one) => ({ object, ...one, field: `spec.${one.field}` }));
}
