/** One round for one object, as the operator goes through it. */
import type { KubeObject } from '../../shared/kube/contract.ts';
import { namespaces } from '../../shared/kube/contract.ts';
import { warning } from './conditions.ts';
import { subscriptionFor } from './credentials.ts';
import { remove } from './deletion.ts';
import { ownerReference, writeExports } from './exports.ts';
import { type AsoKind, armId, asoKindOf } from './kinds.ts';
import {
  type AsoObject,
  annotation,
  azureNameOf,
  marks,
  operatorNamespace,
  type Policy,
  policyFrom,
  readyOf,
} from './object.ts';
import { type Memory, never, type Operator, subjectOf, syncPauseMs } from './operator.ts';
import { ownerOf } from './owner.ts';
import { exportsOf, failed, finish, putOrPoll } from './put.ts';
import { resolveSpec } from './references.ts';
import { statusFrom } from './status.ts';
import { mark, nameInAzure, tell } from './writes.ts';

/** @returns When to look again; Infinity: when the object changes. */
export async function reconcile(operator: Operator, kind: AsoKind, object: AsoObject, memory: Memory): Promise<number> {
  delete memory.waitsFor;
  const other = annotation(object, marks.operator);
  if (other !== undefined && other !== operatorNamespace) return never;
  const policy = await policyOf(operator, object);
  if (object.metadata.deletionTimestamp !== undefined) {
    if (memory.generation !== object.metadata.generation) Object.assign(memory, { dueAt: 0, failures: 0 });
    memory.generation = object.metadata.generation ?? 0;
    if (operator.clock.now() < memory.dueAt) return memory.dueAt;
    return remember(memory, await remove(operator, kind, object, memory, policy));
  }
  if (await isOrphan(operator, object)) {
    // Garbage collection: what owned it has gone.
    await operator.api.delete(kind.resource, refOf(object), { uid: object.metadata.uid ?? '' });
    return never;
  }
  const wait = whenNoticed(operator, object, memory);
  if (wait > operator.clock.now()) return wait;
  const first = memory.generation === undefined;
  const looksOnly = policy === 'skip';
  const changed = memory.generation !== object.metadata.generation || memory.looksOnly !== looksOnly;
  if (changed) Object.assign(memory, { generation: object.metadata.generation, looksOnly, dueAt: 0, failures: 0 });
  const trouble = await inTrouble(operator, kind, object, memory);
  if (trouble !== undefined) return trouble;
  if (operator.clock.now() < memory.dueAt) return memory.dueAt;
  return remember(memory, await round(operator, kind, object, memory, { looksOnly, first }));
}

function remember(memory: Memory, dueAt: number): number {
  memory.dueAt = dueAt;
  return dueAt;
}

const refOf = ({ metadata }: KubeObject) => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});

/** On the object, else on its namespace. */
async function policyOf({ api }: Operator, object: AsoObject): Promise<Policy> {
  const own = annotation(object, marks.policy);
  if (own !== undefined) return policyFrom(own);
  const namespace = await api.get<KubeObject>(namespaces, { name: object.metadata.namespace ?? '' });
  return policyFrom(namespace.ok ? annotation(namespace.value, marks.policy) : undefined);
}

async function isOrphan({ api }: Operator, { metadata }: AsoObject): Promise<boolean> {
  for (const reference of metadata.ownerReferences ?? []) {
    const kind = asoKindOf(reference.apiVersion.split('/')[0] ?? '', reference.kind);
    if (kind === undefined) return false;
    const found = await api.get<AsoObject>(kind.resource, {
      ...refOf({ metadata } as KubeObject),
      name: reference.name,
    });
    const gone = found.ok ? found.value.metadata.uid !== reference.uid : found.error.kind === 'not-found';
    if (!gone) return false;
  }
  return (metadata.ownerReferences ?? []).length > 0;
}

/** A new spec may be seen late: until then the condition tells of the old one. */
function whenNoticed({ faults, clock }: Operator, object: AsoObject, memory: Memory): number {
  const { generation = 0 } = object.metadata;
  if (memory.noticed?.generation !== generation) {
    const fault = faults.decide('notice', subjectOf(object));
    memory.noticed = { generation, at: clock.now() + (fault?.kind === 'late' ? fault.seconds * 1000 : 0) };
  }
  return memory.noticed.at;
}

async function inTrouble(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
): Promise<number | undefined> {
  const now = operator.clock.now();
  if (memory.vanishAt !== undefined && now >= memory.vanishAt) {
    operator.azure.vanish(annotation(object, marks.resourceId) ?? '');
    delete memory.vanishAt;
    // Nobody tells the operator: it sees it with the next resync.
    memory.dueAt = now + syncPauseMs(operator, object, now);
    await operator.clusters.reap();
  }
  const { trouble } = memory;
  if (trouble === undefined || now < trouble.at) return undefined;
  if (now >= trouble.until) {
    delete memory.trouble;
    memory.dueAt = 0;
    return undefined;
  }
  await tell(operator, kind, object, warning(trouble.code, trouble.message));
  return trouble.until;
}

async function round(
  operator: Operator,
  kind: AsoKind,
  seen: AsoObject,
  memory: Memory,
  { looksOnly, first }: { looksOnly: boolean; first: boolean },
): Promise<number> {
  const { api, azure, settings } = operator;
  const credential = await subscriptionFor(api, seen, settings);
  if ('problem' in credential) {
    const pace = credential.problem.severity === 'Error' ? 'never' : 'slow';
    return failed(operator, kind, seen, memory, credential.problem, pace);
  }
  const above = await ownerOf(api, kind, seen, credential.subscription);
  if ('problem' in above) {
    if (above.kind !== undefined) {
      memory.waitsFor = `${above.kind.resource.plural}.${above.kind.resource.group}/${seen.metadata.namespace ?? ''}/${above.name}`;
    }
    return failed(operator, kind, seen, memory, above.problem, 'fast');
  }
  const named = await nameInAzure(operator, kind, seen);
  memory.generation = named.metadata.generation ?? 0;
  memory.noticed = { generation: memory.generation, at: operator.clock.now() };
  const id = armId(kind.type, above.id, azureNameOf(named));
  const object = await mark(operator, kind, named, {
    finalizers: [...new Set([...(named.metadata.finalizers ?? []), marks.finalizer])],
    annotations: { [marks.operator]: operatorNamespace, [marks.resourceId]: id },
    ...(above.owner === undefined ? {} : ownedBy(above.owner, named)),
  });
  if (looksOnly) return look(operator, kind, object, memory, id);
  const resolved = await resolveSpec(api, object);
  if ('problem' in resolved) return failed(operator, kind, object, memory, resolved.problem, 'fast');
  const existing = azure.get(id);
  const ready = readyOf(object);
  const settled = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
  if (
    first &&
    settled &&
    existing?.state === 'Succeeded' &&
    JSON.stringify(existing.body) === JSON.stringify(resolved.body)
  ) {
    // A new life of the operator: nothing to do but to see that the exports are right.
    return finish(operator, kind, object, memory, existing);
  }
  return putOrPoll(operator, kind, object, memory, { id, body: resolved.body });
}

function ownedBy({ kind, object: owner }: { kind: AsoKind; object: AsoObject }, { metadata }: AsoObject) {
  const references = metadata.ownerReferences ?? [];
  const known = references.some(({ uid }) => uid === owner.metadata.uid);
  return {
    labels: {
      [marks.ownerName]: owner.metadata.name.slice(0, 63),
      [marks.ownerKind]: `${kind.resource.kind}.${kind.resource.group}`,
      [marks.ownerUid]: owner.metadata.uid ?? '',
    },
    ...(known
      ? {}
      : {
          ownerReferences: [
            ...references.map(({ apiVersion, kind: name, name: of, uid }) => ({
              apiVersion,
              kind: name,
              name: of,
              uid,
            })),
            ownerReference({
              ...owner,
              apiVersion: `${kind.resource.group}/${kind.resource.version}`,
              kind: kind.resource.kind,
            }),
          ],
        }),
  };
}

/** Under `skip`: what is there, without a finger on it. */
async function look(operator: Operator, kind: AsoKind, object: AsoObject, memory: Memory, id: string): Promise<number> {
  const fault = operator.faults.decide('get', subjectOf(object));
  if (fault?.kind === 'refused') {
    return failed(operator, kind, object, memory, warning(fault.code, fault.message), 'slow');
  }
  const found = operator.azure.get(id);
  if (found === undefined) {
    const text = `resource "${id}" not found in Azure, and reconcile-policy is skip`;
    return failed(operator, kind, object, memory, warning('AzureResourceNotFound', text), 'slow');
  }
  if (found.type === 'Microsoft.ContainerService/managedClusters') await operator.clusters.ensure(found);
  const problem = await writeExports(operator.api, object, exportsOf(operator, found));
  if (problem !== undefined) return failed(operator, kind, object, memory, problem, 'never');
  await tell(operator, kind, object, { status: 'True', reason: 'Succeeded' }, statusFrom(kind.resource.kind, found));
  return operator.clock.now() + operator.settings.retries.syncSeconds * 1000;
}
