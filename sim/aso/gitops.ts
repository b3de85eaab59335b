/** The Flux of the management cluster, as far as new clusters see it: sources are fetched, kustomizations applied, one after the other. */
import { createHash } from 'node:crypto';
import { asObject, type JsonObject } from '../../shared/base/json.ts';
import { type KubeObject, type Resource, secrets } from '../../shared/kube/contract.ts';
import { gitRepositories, kustomizations } from './kinds.ts';
import { must } from './object.ts';
import { type Memory, never, type Operator, timeOf } from './operator.ts';

interface FluxObject extends KubeObject {
  kind: string;
  spec: JsonObject;
  status?: JsonObject & { conditions?: { type: string; status: string; observedGeneration?: number }[] };
}

const retryMs = 500;

/** When to look again. */
export async function keepFlux(
  operator: Operator,
  resource: Resource,
  object: FluxObject,
  memory: Memory,
): Promise<number> {
  const { api, clock, faults, settings } = operator;
  const { name, namespace = '', generation = 0, uid = '' } = object.metadata;
  if (object.metadata.deletionTimestamp !== undefined || object.spec.suspend === true) return never;
  const now = clock.now();
  if (memory.noticed?.generation !== generation) {
    memory.noticed = { generation, at: now + settings.conditionSeconds * 1000 };
  }
  if (now < memory.noticed.at) return memory.noticed.at;
  if (isReady(object)) return never;
  const fault = faults.decide('flux', { kind: resource.kind, name, namespace, uid });
  const problem =
    fault?.kind === 'refused' ? fault : resource === kustomizations ? await notYet(operator, object) : undefined;
  const condition = {
    type: 'Ready',
    status: problem === undefined ? 'True' : 'False',
    reason: problem?.code ?? (resource === gitRepositories ? 'Succeeded' : 'ReconciliationSucceeded'),
    message:
      problem?.message ??
      `${resource === gitRepositories ? 'stored artifact for' : 'Applied'} revision ${revisionOf(object)}`,
    observedGeneration: generation,
    lastTransitionTime: timeOf(now),
  };
  const done: JsonObject =
    problem !== undefined
      ? {}
      : resource === gitRepositories
        ? { artifact: artifactOf(object, now) }
        : { lastAppliedRevision: revisionOf(object), lastAttemptedRevision: revisionOf(object) };
  const status = { observedGeneration: generation, conditions: [condition], ...done };
  const before = object.status?.conditions?.[0];
  if (
    JSON.stringify({ ...before, lastTransitionTime: '' }) !== JSON.stringify({ ...condition, lastTransitionTime: '' })
  ) {
    must(await api.mergePatch(resource, { name, namespace }, { status }, { subresource: 'status' }));
  }
  return problem === undefined ? never : now + retryMs;
}

const isReady = ({ metadata, status }: FluxObject): boolean =>
  status?.conditions?.some(
    ({ type, status: is, observedGeneration }) =>
      type === 'Ready' && is === 'True' && observedGeneration === metadata.generation,
  ) ?? false;

async function notYet(
  { api }: Operator,
  { spec, metadata }: FluxObject,
): Promise<{ code: string; message: string } | undefined> {
  const { namespace = '' } = metadata;
  const source = String(asObject(spec.sourceRef)?.name ?? '');
  const found = await api.get<FluxObject>(gitRepositories, { name: source, namespace });
  if (!found.ok || !isReady(found.value)) {
    return {
      code: 'ArtifactFailed',
      message: `Source artifact not found, retrying: GitRepository/${namespace}/${source}`,
    };
  }
  const secret = asObject(asObject(spec.kubeConfig)?.secretRef);
  if (typeof secret?.name === 'string') {
    const kubeconfig = await api.get<KubeObject & { data?: Record<string, string> }>(secrets, {
      name: secret.name,
      namespace,
    });
    if (!kubeconfig.ok || kubeconfig.value.data?.[String(secret.key ?? 'value')] === undefined) {
      return {
        code: 'ReconciliationFailed',
        message: `unable to read KubeConfig secret '${namespace}/${secret.name}'`,
      };
    }
  }
  for (const one of Array.isArray(spec.dependsOn) ? spec.dependsOn : []) {
    const other = String(asObject(one)?.name ?? '');
    const dependency = await api.get<FluxObject>(kustomizations, { name: other, namespace });
    if (!dependency.ok || !isReady(dependency.value)) {
      return { code: 'DependencyNotReady', message: `dependency '${namespace}/${other}' is not ready` };
    }
  }
  return undefined;
}

const commitOf = ({ spec }: FluxObject): string =>
  createHash('sha1')
    .update(JSON.stringify(spec.url ?? spec.sourceRef ?? ''))
    .digest('hex');
const revisionOf = (object: FluxObject): string => `main@sha1:${commitOf(object)}`;

const artifactOf = (object: FluxObject, now: number): JsonObject => ({
  digest: `sha256:${createHash('sha256').update(commitOf(object)).digest('hex')}`,
  lastUpdateTime: timeOf(now),
  path: `gitrepository/${object.metadata.namespace}/${object.metadata.name}/${commitOf(object)}.tar.gz`,
  revision: revisionOf(object),
  url: `http://source-controller.flux-system.svc.cluster.local./gitrepository/${object.metadata.name}/latest.tar.gz`,
});
