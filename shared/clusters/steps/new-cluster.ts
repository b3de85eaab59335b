/** The cluster that is being made: whether its API answers, and what is applied there. */
import type { Json } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type ClusterApi, customResourceDefinitions, type KubeObject, namespaces, nodes } from '../../kube/contract.ts';
import { lookedPlain } from '../drivers/aso/plain.ts';
import type { NewClusterAccess } from '../drivers/contract.ts';
import type { Manifest, PlannedStage } from '../manifests/manifest.ts';
import { resourceOf } from '../manifests/resources.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import { failedCall, type Progress } from './progress.ts';

export interface NewCluster {
  api: ClusterApi;
  server: string;
  certificateAuthority?: string;
  access: NewClusterAccess;
}

interface Conditioned extends KubeObject {
  status?: { conditions?: Condition[] };
}

/** Runs `use` with the new cluster, and closes it. */
export async function withNewCluster<T>(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  planned: readonly PlannedStage[],
  use: (cluster: NewCluster) => Promise<Result<T>>,
  signal: AbortSignal,
): Promise<Result<T>> {
  const manifest = managedCluster(planned);
  if (manifest === undefined) return failed('invalid', 'the request makes no cluster');
  const access = await place.driver.access(manifest, signal);
  if (!access.ok) return access;
  const opened = await services.openNewCluster(`${ref.namespace}-${ref.name}`, access.value, signal);
  if (!opened.ok) return opened;
  try {
    return await use({ ...opened.value, access: access.value });
  } finally {
    opened.value.api.close();
  }
}

export const managedCluster = (planned: readonly PlannedStage[]): Manifest | undefined =>
  planned.flatMap(({ manifests }) => manifests).find(({ kind }) => kind === 'ManagedCluster');

/** Its API answers, and a system node is Ready. Answers the uid of kube-system. */
export async function reach({ api }: NewCluster, signal: AbortSignal): Promise<Result<string>> {
  const system = await api.get(namespaces, { name: 'kube-system' }, signal);
  if (!system.ok) return system;
  const listed = await api.list<Conditioned>(nodes, { limit: 100 }, signal);
  if (!listed.ok) return listed;
  const ready = listed.value.items.some(({ status }) =>
    status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True'),
  );
  if (!ready) return failed('not-ready', 'no system node is Ready yet');
  return ok(system.value.metadata.uid);
}

/**
 * One manifest there: its kind is served, it is applied, it is Ready.
 * @param isRead Its reader takes it as it is, and writes no status of it.
 */
export async function advanceThere(
  { api }: NewCluster,
  manifest: Manifest,
  isRead: boolean,
  signal: AbortSignal,
): Promise<Progress> {
  const what = `${manifest.kind}/${manifest.metadata.name}`;
  const resource = resourceOf(manifest);
  const served = await established(api, `${resource.plural}.${resource.group}`, signal);
  if (!served.ok) return failedCall(served.error, `look at the definition of ${manifest.kind}`);
  if (!served.value) {
    return {
      state: 'pending',
      waitingFor: `the new cluster to serve ${manifest.kind} (node auto-provisioning installs it)`,
    };
  }
  const applied = await api.apply<KubeObject>(resource, manifest as unknown as Json, {}, signal);
  if (!applied.ok) return failedCall(applied.error, `apply of ${what} in the new cluster`);
  const looked = lookedPlain(applied.value);
  if (looked.state === 'ready' || isRead) return { state: 'ready', outputs: {} };
  if (looked.state !== 'pending') return { state: 'pending', waitingFor: `${what} to be there` };
  return { state: 'pending', waitingFor: `${what} in the new cluster: ${looked.waitingFor}`, fault: looked.fault };
}

async function established(api: ClusterApi, name: string, signal: AbortSignal): Promise<Result<boolean>> {
  const found = await api.get<Conditioned>(customResourceDefinitions, { name }, signal);
  if (!found.ok) return found.error.kind === 'not-found' ? ok(false) : found;
  const conditions = found.value.status?.conditions ?? [];
  return ok(conditions.some(({ type, status }) => type === 'Established' && status === 'True'));
}
