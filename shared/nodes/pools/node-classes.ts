/**
 * Keeps the status of node classes true: what their selectors resolve to, and whether claims can be made with them.
 * A class is not held back from being deleted: nothing that exists needs it any more, and what is new waits and says so.
 */

import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type ConditionChange, findCondition } from '../../kube/conditions.ts';
import type { KubeObject, Resource } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import type { Provider } from '../../providers/contract.ts';
import { resourceOf } from '../../providers/serving.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { withLock } from './lock.ts';
import { resolveNodeClass } from './node-class-resolution.ts';
import { conditionsOf, objectStatusPatch, type WithStatus, writeStatus } from './object-status.ts';

type StoredNodeClass = WithStatus & { spec?: Json };

/**
 * All node classes of the providers that serve the cluster. One that can't be looked at holds up no other. A kind that need
 * not be there is another provisioner's, and so is its status.
 */
export async function reconcileNodeClasses(
  services: LifecycleServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: cluster.name, function: 'node-classes' });
  if (!(await services.ownership.standing(cluster.name)).acts) return;
  for (const provider of cluster.providers) {
    for (const { group, version, kind, plural, optional } of provider.nodeClasses) {
      if (optional || resolverOf(cluster, { group, kind }) !== provider) continue;
      const resource: Resource = { group, version, kind, plural, namespaced: false };
      const onItem = async (one: StoredNodeClass): Promise<void> => {
        const due = (await dueStatus(services, provider, one, signal)).patch !== undefined;
        if (due) await reconcileAlone(services, cluster, provider, resource, one.metadata.name, signal);
      };
      const listed = await listAll<StoredNodeClass>(cluster.api, resource, {}, { onItem }, signal);
      if (!listed.ok) log.write('nodeclass.failed', { resource: plural, problem: listed.error.message });
    }
  }
}

/** One class, because something about it changed. Done also when it is gone, or nobody here serves it. */
export async function reconcileNodeClass(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: { group: string; kind: string; name: string },
  signal: AbortSignal,
): Promise<Result<void>> {
  const provider = resolverOf(cluster, ref);
  const resource = provider && resourceOf(provider, ref);
  if (!provider || !resource || resource.optional) return ok(undefined);
  if (!(await services.ownership.standing(cluster.name)).acts) return ok(undefined);
  return reconcileAlone(services, cluster, provider, resource, ref.name, signal);
}

/** One provider speaks for a class that several serve: two would write over each other's words. */
const resolverOf = ({ providers }: ClusterServices, ref: { group: string; kind: string }): Provider | undefined =>
  providers.find((one) => one.resolveNodeClass !== undefined && resourceOf(one, ref) !== undefined);

/**
 * The timer and the event of a new class come together, and both at once would only meet each other's write. So one looks
 * at a time, and what it writes follows from what it reads in its turn.
 */
async function reconcileAlone(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  resource: Resource,
  name: string,
  signal: AbortSignal,
): Promise<Result<void>> {
  const key = `node-class/${cluster.name}/${resource.group}/${resource.kind}/${name}`;
  const done = await withLock<Result<void>>(services, key, async () => {
    const read = await cluster.api.get<StoredNodeClass>(resource, { name }, signal);
    if (read.ok) await reconcileOne(services, cluster, provider, resource, read.value, signal);
    return read.ok || read.error.kind === 'not-found' ? ok(undefined) : read;
  });
  // Whoever is at it may have read the class before it changed.
  return done ?? failed('conflict', 'another check of the node class is in progress', { retryAfterSeconds: 1 });
}

async function reconcileOne(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  resource: Resource,
  stored: StoredNodeClass,
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: cluster.name, function: 'node-classes' });
  const { judged, patch } = await dueStatus(services, provider, stored, signal);
  if (patch === undefined) return;
  const before = findCondition(conditionsOf(stored), conditionTypes.ready)?.status;
  const written = await writeStatus(cluster.api, resource, stored, patch, signal);
  if (!written.ok) {
    // Somebody else's newer write, or a class that is gone: the next look sees it.
    if (written.error.kind === 'conflict' || written.error.kind === 'not-found') return;
    return log.write('nodeclass.failed', { nodeClass: stored.metadata.name, problem: written.error.message });
  }
  const { status, reason = '', message = '' } = judged.ready;
  if (status === before) return;
  const about = subjectOf(resource, stored);
  if (status === 'False')
    await emitEvent(services, cluster, about, 'Warning', 'NodeClassNotReady', `${reason}: ${message}`);
  else if (status === 'True' && before === 'False') {
    await emitEvent(
      services,
      cluster,
      about,
      'Normal',
      'NodeClassReady',
      'the node class is ready again for new claims',
    );
  }
}

async function dueStatus(
  services: LifecycleServices,
  provider: Provider,
  stored: StoredNodeClass,
  signal: AbortSignal,
) {
  const judged = await judge(services, provider, stored, signal);
  return {
    judged,
    patch: objectStatusPatch(stored, services.clock.now(), [...judged.parts, judged.ready], judged.fields),
  };
}

type Judged = { ready: ConditionChange; parts: readonly ConditionChange[]; fields: { [field: string]: Json } };

async function judge(
  services: LifecycleServices,
  provider: Provider,
  stored: StoredNodeClass,
  signal: AbortSignal,
): Promise<Judged> {
  const type = conditionTypes.ready;
  const { name, generation, deletionTimestamp } = stored.metadata;
  if (deletionTimestamp !== undefined) {
    const message = 'it is being deleted: existing nodes stay, and new claims need another node class';
    return { ready: { type, status: 'False', reason: 'Deleting', message }, parts: [], fields: {} };
  }
  const answer = await resolveNodeClass(services, provider, { name, spec: stored.spec ?? {} }, signal, {
    askProvider: true,
  });
  if (!answer?.ok) {
    const known = findCondition(conditionsOf(stored), type);
    // A cloud that can't be asked right now has not changed: what was found out about this very spec stays.
    if (known && known.observedGeneration === generation) return { ready: known, parts: [], fields: {} };
    const message = `its selectors cannot be resolved: ${answer?.error.message ?? 'the provider does not support it'}`;
    return { ready: { type, status: 'Unknown', reason: 'ProviderUnavailable', message }, parts: [], fields: {} };
  }
  const { ready, reason, message, resolved, conditions = [] } = answer.value;
  const change: ConditionChange = ready
    ? { type, status: 'True' }
    : { type, status: 'False', reason: reason ?? 'NotReady', message: message ?? 'the provider gave no reason' };
  return { ready: change, parts: conditions, fields: resolved };
}

export const subjectOf = ({ group, version, kind }: Resource, { metadata }: KubeObject) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata,
});
