/**
 * The driver `aso`: Azure Service Operator in a management cluster makes what manifests say. Everything is a server-side apply of the whole
 * intent by one field manager, so it may run any number of times.
 */
import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { type ClusterApi, failureCodes, secrets } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import { type AsoKind, type AsoKindName, asoKinds, type Served } from '../../manifests/api-versions.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { kubeconfigKey } from '../../manifests/object-names.ts';
import { isAsoKind, resourceOf } from '../../manifests/resources.ts';
import { ownLabelSelector, requestUidIn } from '../../resolved/marks.ts';
import type { ClusterDriver, Found, LookResult, NewClusterAccess } from '../contract.ts';
import {
  type AsoObject,
  conditionsOf,
  isInFlight,
  isKnownInAzure,
  looked,
  outputsOf,
  readyCondition,
  reconcilePolicy,
} from './condition.ts';
import { isApplied, isManaged, isOurs, probeOf, read, write } from './objects.ts';
import { lookedPlain } from './plain.ts';
import { probe, verdict } from './probe.ts';
import { lookRemoved, remove } from './removal.ts';

interface Parts {
  api: ClusterApi;
  clock: Clock;
}

/** What an operator serves changes with its release. */
const servedSeconds = 300;

const fluxKinds = [
  { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository' },
  { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
];

export function createAsoDriver({ api, clock }: Parts): ClusterDriver {
  let known: { at: number; served: Served } | undefined;

  const served = async (signal?: AbortSignal): Promise<Result<Served>> => {
    if (known !== undefined && clock.monotonic() - known.at < servedSeconds * 1000) return ok(known.served);
    const asked = await askServed(api, signal);
    if (asked.ok) known = { at: clock.monotonic(), served: asked.value };
    return asked;
  };

  return {
    name: 'aso',
    served,
    probe: (manifest, signal) => probe(api, manifest, signal),
    apply: (manifest, signal) => apply(api, manifest, signal),
    look: (manifest, signal) => look(api, manifest, signal),
    wake: (manifest, signal) => wake(api, manifest, signal),
    remove: (manifest, signal) => remove(api, clock, manifest, signal),
    lookRemoved: (manifest, signal) => lookRemoved(api, manifest, signal),
    access: (cluster, signal) => access(api, cluster, signal),
    async observe(manifest, signal) {
      const found = await read(api, manifest, signal);
      if (!found.ok) return found;
      const live = found.value;
      return ok(live === undefined ? undefined : defined({ spec: live.spec, status: live.status }));
    },
    async find(uid, signal) {
      const versions = await served(signal);
      return versions.ok ? await find(api, versions.value, uid, signal) : versions;
    },
  };
}

/** A short list of each version: the definitions themselves have a megabyte each. */
async function askServed(api: ClusterApi, signal?: AbortSignal): Promise<Result<Served>> {
  const answer: Partial<Record<AsoKindName, readonly string[]>> = {};
  for (const [kind, { group, plural, versions }] of Object.entries(asoKinds) as [AsoKindName, AsoKind][]) {
    const there: string[] = [];
    for (const { version } of versions) {
      const page = await api.list({ group, version, plural, kind, namespaced: true }, { limit: 1 }, signal);
      if (page.ok) there.push(version);
      else if (page.error.code !== failureCodes.notServed) return page;
    }
    answer[kind] = there;
  }
  return ok(answer);
}

async function apply(api: ClusterApi, manifest: Manifest, signal?: AbortSignal): Promise<Result<void>> {
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  const live = found.value;
  if (live === undefined) {
    if (isAsoKind(manifest.kind)) return failed('not-ready', `${manifest.kind} was not probed yet`);
  } else {
    const { state } = verdict(live, manifest);
    if (state !== 'free' && state !== 'ours') return failed('not-ready', `${manifest.kind} has to be probed first`);
    if (isApplied(live, manifest)) return ok(undefined);
  }
  // Of that object and no other: a write that comes late, when all has been removed, makes nothing anew.
  const written = await write(api, manifest, { uid: live?.metadata.uid, managed: true }, signal);
  return written.ok ? ok(undefined) : written;
}

async function look(api: ClusterApi, manifest: Manifest, signal?: AbortSignal): Promise<Result<LookResult>> {
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  const live = found.value;
  if (live === undefined || !isOurs(live, manifest)) return ok({ state: 'absent' });
  return ok(isAsoKind(manifest.kind) ? looked(live, outputsOf(live)) : lookedPlain(live));
}

/**
 * Away from what it is and back: the operator may sleep for an hour after a failure. A spec of another generation wakes it also where it
 * sees only the end of the two writes, and nothing that it has said before is then taken for an answer.
 */
async function wake(api: ClusterApi, manifest: Manifest, signal?: AbortSignal): Promise<Result<void>> {
  if (!isAsoKind(manifest.kind)) return ok(undefined);
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  const live = found.value;
  // What is under way needs no waking, and what was never put under `manage` must not get there so.
  if (live === undefined || !isOurs(live, manifest) || !isManaged(live) || isInFlight(live)) return ok(undefined);
  const { uid, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return ok(undefined);
  for (const step of [probeOf(manifest), manifest]) {
    const written = await write(api, step, { uid, managed: true }, signal);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

async function access(api: ClusterApi, cluster: Manifest, signal?: AbortSignal): Promise<Result<NewClusterAccess>> {
  const exported = cluster.spec.operatorSpec as { secrets?: Record<string, { name: string }> } | undefined;
  const secret = exported?.secrets?.adminCredentials;
  if (secret === undefined) return await accessByToken(api, cluster, signal);
  const { namespace = '' } = cluster.metadata;
  const where = { namespace, name: secret.name, key: kubeconfigKey };
  const found = await api.get<AsoObject & { data?: Record<string, string> }>(secrets, where, signal);
  const encoded = found.ok ? found.value.data?.[kubeconfigKey] : undefined;
  if (!found.ok && found.error.kind !== 'not-found') return found;
  if (encoded === undefined) return failed('not-ready', `Secret ${secret.name} with the kubeconfig is not there yet`);
  return ok({ kind: 'kubeconfig', text: Buffer.from(encoded, 'base64').toString('utf8'), where });
}

/** The kubeconfig of a cluster without local accounts starts a program that we do not have. */
async function accessByToken(
  api: ClusterApi,
  cluster: Manifest,
  signal?: AbortSignal,
): Promise<Result<NewClusterAccess>> {
  const found = await read(api, cluster, signal);
  if (!found.ok) return found;
  const id = found.value === undefined ? undefined : outputsOf(found.value).id;
  return id === undefined ? failed('not-ready', 'the ARM id of the cluster is not known yet') : ok({ kind: 'aks', id });
}

async function find(
  api: ClusterApi,
  served: Served,
  uid: string | undefined,
  signal?: AbortSignal,
): Promise<Result<readonly Found[]>> {
  const found: Found[] = [];
  const aso = (Object.entries(asoKinds) as [AsoKindName, AsoKind][]).flatMap(([kind, { group, versions }]) => {
    const version = versions.find((one) => served[kind]?.includes(one.version))?.version;
    return version === undefined ? [] : [{ apiVersion: `${group}/${version}`, kind: kind as string }];
  });
  for (const { apiVersion, kind } of [...aso, ...fluxKinds]) {
    const listed = await listAll<AsoObject>(
      api,
      resourceOf({ apiVersion, kind }),
      { labelSelector: ownLabelSelector(uid) },
      { onItem: (live) => void found.push(asFound(live, apiVersion, kind)) },
      signal,
    );
    if (!listed.ok && listed.error.code !== failureCodes.notServed) return listed;
  }
  return ok(found);
}

function asFound(live: AsoObject, apiVersion: string, kind: string): Found {
  const { name, namespace, labels = {}, annotations } = live.metadata;
  const policy = annotations?.[reconcilePolicy];
  const metadata = {
    name,
    ...defined({ namespace }),
    labels: { ...labels },
    ...(policy === undefined ? {} : { annotations: { [reconcilePolicy]: policy } }),
  };
  const ready = conditionsOf(live).find(({ type }) => type === 'Ready');
  const made = isKnownInAzure(live) || isInFlight(live) || readyCondition(live)?.status === 'True';
  return {
    owner: { uid: requestUidIn(labels) ?? '' },
    manifest: { apiVersion, kind, metadata, spec: live.spec ?? {} },
    everMade: isManaged(live) && isAsoKind(kind) && made,
    ...(ready === undefined || !isAsoKind(kind) ? {} : { ready: { status: ready.status, reason: ready.reason } }),
  };
}
