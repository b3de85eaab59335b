/** `explain pool/X` and `explain nodeclass/X`: the host explains; where it can't be asked, the cluster alone is. */
import { defined } from '../../../shared/base/defined.ts';
import type { Result } from '../../../shared/base/result.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { ObjectAnswer } from '../../../shared/explain/objects/answer.ts';
import { readNodeClasses, readPool } from '../../../shared/explain/objects/cluster-objects.ts';
import { explainNodeClassView, explainPoolView } from '../../../shared/explain/objects/explain-object.ts';
import { type ClusterApi, nodePools } from '../../../shared/kube/contract.ts';
import { kindsNamed } from '../../../shared/providers/kinds-named.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { isNamed } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { type HostApi, HostProblem } from '../../reach/host-api.ts';
import { nearestName } from '../../reach/nearest-name.ts';
import type { Target } from '../../reach/target.ts';
import { WrongCluster, whichCluster } from '../../reach/which-cluster.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { Sources, Where } from './gather.ts';

export type ObjectTarget = Target<'pool' | 'nodeclass'>;

export interface ExplainedObject {
  answer: ObjectAnswer;
  /** Sentences: who could not be asked, and why. */
  missing: string[];
}

export async function explainObject(sources: Sources, where: Where, target: ObjectTarget): Promise<ExplainedObject> {
  const { host, cluster } = sources;
  const missing = [...sources.missing];
  const asked = host && (await orMissing(missing, () => askHost(host, cluster, where, target)));
  if (asked) return { answer: asked, missing };
  if (!cluster) throw new UserError(missing.join('\n'), { code: 'HostUnreachable' });
  const name = where.cluster ?? where.context ?? 'of the kubeconfig';
  return { answer: await askCluster(cluster, target, name), missing };
}

/** Undefined: it was noted why the host does not answer. What the host says about the object itself is thrown. */
async function orMissing<T>(missing: string[], ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof WrongCluster) throw error;
    if (error instanceof HostProblem && !withoutExplanation.has(error.kind)) throw error;
    missing.push(`The host was not queried: ${error.message}`);
    return undefined;
  }
}

/** An older host does not know how, and one that does not reach the cluster can't. */
const withoutExplanation: ReadonlySet<string> = new Set(['unknown-path', 'cluster-unavailable']);

async function askHost(
  host: HostApi,
  cluster: ClusterApi | undefined,
  where: Where,
  { kind, name, of }: ObjectTarget,
): Promise<ObjectAnswer> {
  const hosted = await hostedAs(host, cluster, where);
  const path = `/v1/${kind === 'pool' ? 'pools' : 'node-classes'}/${encodeURIComponent(hosted)}/${encodeURIComponent(name)}/explain`;
  return host.ask<ObjectAnswer>('GET', path, { query: defined({ kind: of }) });
}

/** A kubeconfig that nobody named is not worth an error: the host knows the cluster that was named. */
async function hostedAs(host: HostApi, cluster: ClusterApi | undefined, where: Where): Promise<string> {
  try {
    return await whichCluster(host, cluster, where.cluster, { mayGuess: true });
  } catch (error) {
    if (!(error instanceof WrongCluster) || isNamed(where) || where.cluster === undefined) throw error;
    return where.cluster;
  }
}

async function askCluster(api: ClusterApi, { kind, name, of }: ObjectTarget, cluster: string): Promise<ObjectAnswer> {
  const asked = { cluster, now: systemClock.now(), host: undefined };
  const sure = <T>(read: Result<T>): T => {
    if (read.ok) return read.value;
    throw clusterProblem(read.error, api, nodePools);
  };
  if (kind === 'pool') {
    const read = await readPool(api, name);
    if (read.ok || read.error.kind !== 'not-found') return explainPoolView(sure(read), asked);
    const hint = await nearestName(api, nodePools, name);
    throw new UserError(`The cluster has no NodePool ${name}`, { code: 'UnknownPool', hint });
  }
  const [view, ...others] = sure(await readNodeClasses(api, kindsNamed(kindsOf(manifests), of), name));
  if (view === undefined) {
    throw new UserError(`The cluster has no node class ${of === undefined ? '' : `${of} `}${name}.`, {
      code: 'UnknownNodeClass',
    });
  }
  if (others.length > 0) {
    const found = [view, ...others].map((one) => `nodeclass/${one.kind.kind}/${name}`).join(' or ');
    throw new UserError(`Several node classes are called ${name}; pass ${found}.`, { code: 'AmbiguousNodeClass' });
  }
  return explainNodeClassView(view, asked);
}
