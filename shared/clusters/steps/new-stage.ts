/** The stages that need the new cluster itself: until its API answers, and what is applied there. */
import { isObject, type Json } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { customResourceDefinitions } from '../../kube/contract.ts';
import type { PlannedStage } from '../manifests/manifest.ts';
import type { RegisteredAccess, RegisteredCluster } from '../registered/contract.ts';
import { shortened } from '../resolved/names.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import { advanceManagement, type Observer } from './management-stage.ts';
import { advanceThere, managedCluster, type NewCluster, reach, withNewCluster } from './new-cluster.ts';
import { failedCall, type Progress } from './progress.ts';
import type { RequestRecord } from './record.ts';

/** A name of the configuration is no longer. */
const longestClusterName = 40;

export async function advanceNew(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  record: RequestRecord,
  planned: readonly PlannedStage[],
  current: PlannedStage,
  observe: Observer,
  signal: AbortSignal,
): Promise<Progress> {
  if (current.stage === 'ManagedCluster') {
    return await advanceCluster(services, place, ref, planned, current, observe, signal);
  }
  const done = await withNewCluster(
    services,
    place,
    ref,
    planned,
    async (cluster): Promise<Result<Progress>> => {
      let registeredAs: string | undefined;
      if (record.resolved.nodes === 'poolwright') {
        const ready = await prepare(services, place, ref, record, planned, cluster, signal);
        if (ready.state !== 'ready') return ok(ready);
        registeredAs = ready.registeredAs;
      }
      for (const manifest of current.manifests) {
        // Poolwright reads the class when it makes nodes; its status belongs to Karpenter's provider for Azure, which is not there.
        const isRead = record.resolved.nodes === 'poolwright' && manifest.kind === 'AKSNodeClass';
        const progress = await advanceThere(cluster, manifest, isRead, signal);
        observe(manifest, progress);
        if (progress.state !== 'ready') return ok(progress);
      }
      return ok({ state: 'ready', outputs: {}, ...(registeredAs === undefined ? {} : { registeredAs }) });
    },
    signal,
  );
  return done.ok ? done.value : unreachable(done.error);
}

async function advanceCluster(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  planned: readonly PlannedStage[],
  current: PlannedStage,
  observe: Observer,
  signal: AbortSignal,
): Promise<Progress> {
  const made = await advanceManagement(place.driver, current, observe, signal);
  if (made.state !== 'ready') return made;
  const { outputs } = made;
  const reached = await withNewCluster(
    services,
    place,
    ref,
    planned,
    async (cluster) => {
      const uid = await reach(cluster, signal);
      if (!uid.ok) return uid;
      const { access } = cluster;
      const secret = access.kind === 'kubeconfig' ? access.where?.name : undefined;
      return ok({ uid: uid.value, ...(secret === undefined ? {} : { kubeconfigSecret: secret }) });
    },
    signal,
  );
  if (!reached.ok) return { ...unreachable(reached.error), outputs };
  return { state: 'ready', outputs, ...reached.value };
}

/** Where only time is needed, it is no fault. */
function unreachable(failure: Parameters<typeof failedCall>[0]): Extract<Progress, { state: 'pending' }> {
  const waitingFor = `the API of the new cluster to answer: ${failure.message}`;
  if (failure.kind === 'not-ready') return { state: 'pending', waitingFor };
  const fault = { kind: failure.kind, code: 'ClusterUnreachable', message: failure.message, final: false };
  return { state: 'pending', waitingFor: 'the API of the new cluster to answer', fault };
}

/** For nodes that Poolwright makes: its definitions are there, and this deployment serves the cluster. */
async function prepare(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  record: RequestRecord,
  planned: readonly PlannedStage[],
  cluster: NewCluster,
  signal: AbortSignal,
): Promise<Progress> {
  for (const definition of (await services.definitions?.()) ?? []) {
    const created = await cluster.api.create(customResourceDefinitions, definition as Json, signal);
    // What is there is used as it is.
    if (!created.ok && created.error.kind !== 'conflict') {
      return failedCall(created.error, `definition ${nameIn(definition)} in the new cluster`);
    }
  }
  // Its agent pools are made where the cluster is, and nowhere else.
  const manifest = managedCluster(planned);
  const looked = manifest && (await place.driver.look(manifest, signal));
  if (looked?.ok === false) return failedCall(looked.error, 'look at the cluster');
  const id = looked !== undefined && 'outputs' in looked.value ? looked.value.outputs?.id : undefined;
  const where = id === undefined ? undefined : { id, location: record.resolved.location };
  return await register(services, ref, cluster, where, signal);
}

const nameIn = (definition: unknown): string => {
  const metadata = isObject(definition) ? definition.metadata : undefined;
  return isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
};

/** Bound to its uid: a cluster that somebody puts in its place later is refused. */
export async function register(
  services: ClusterRequestServices,
  ref: RequestRef,
  cluster: NewCluster,
  where: RegisteredCluster['place'],
  signal: AbortSignal,
): Promise<Progress> {
  const uid = await reach(cluster, signal);
  if (!uid.ok) return unreachable(uid.error);
  const name = registeredName(ref);
  const { server, certificateAuthority } = cluster;
  const registered = await services.register.registerCluster(
    {
      name,
      uid: uid.value,
      server,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      access: accessOf(ref, cluster),
      ...(where === undefined ? {} : { place: where }),
      request: { store: ref.cluster, namespace: ref.namespace, name: ref.name, uid: ref.uid },
    },
    signal,
  );
  if (!registered.ok) return failedCall(registered.error, `registration of cluster ${name}`);
  return { state: 'ready', outputs: {}, registeredAs: name };
}

function accessOf(ref: RequestRef, { access }: NewCluster): RegisteredAccess {
  if (access.kind === 'aks') return access;
  const { namespace, name, key } = access.where ?? { namespace: ref.namespace, name: ref.name, key: '' };
  return { kind: 'secret', cluster: ref.cluster, namespace, name, key };
}

export const registeredName = ({ namespace, name }: RequestRef): string =>
  shortened(`${namespace}-${name}`.replaceAll('.', '-'), longestClusterName);
