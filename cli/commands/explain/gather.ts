/**
 * Everything that can be had about a claim, from its cluster and from the host. Either may be out of reach: then the other one is
 * asked alone, and what is missing is said.
 */

import { systemClock } from '../../../shared/base/runtime.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import { nodeClaims } from '../../../shared/kube/contract.ts';
import { type ClusterChoice, openCluster } from '../../reach/cluster-access.ts';
import { type HostAddress, type HostApi, openHostApi } from '../../reach/host-api.ts';
import { whichCluster } from '../../reach/which-cluster.ts';
import { UserError } from '../../terminal/user-error.ts';
import { clusterProblem } from '../get/cluster-problem.ts';
import { nearestName } from '../get/nearest-name.ts';
import { askCluster, type ClusterView } from './cluster-view.ts';
import { askHost, type HostLetter, type HostView, lettersAbout } from './host-view.ts';

export interface Where extends HostAddress, ClusterChoice {
  dataDir: string;
  /** Needed only where the host serves several and the kubeconfig does not tell. */
  cluster?: string;
}

/** The two that can be asked, as far as there is a way to them. */
export interface Sources {
  host?: HostApi;
  cluster?: ClusterApi;
  /** Sentences: whom nobody could ask, and why. */
  missing: string[];
  close(): void;
}

export async function openSources(where: Where): Promise<Sources> {
  const missing: string[] = [];
  const [host, cluster] = await Promise.all([
    orMissing(async () => openHostApi(where), 'The host was not asked', missing),
    orMissing(() => openCluster(where), 'The cluster was not asked', missing),
  ]);
  const close = (): void => {
    host?.close();
    cluster?.close();
  };
  return { ...(host ? { host } : {}), ...(cluster ? { cluster } : {}), missing, close };
}

async function orMissing<T>(open: () => Promise<T>, what: string, missing: string[]): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    missing.push(`${what}: ${error.message}`);
    return undefined;
  }
}

export interface Gathered {
  /** As the host calls it, or as the kubeconfig does. */
  clusterName: string;
  name: string;
  uid: string;
  now: number;
  cluster?: ClusterView;
  host?: HostView;
  letters: HostLetter[];
  missing: string[];
}

export async function gather(sources: Sources, where: Where, name: string, uid?: string): Promise<Gathered> {
  const missing = [...sources.missing];
  const problems: UserError[] = [];
  const attempt = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error);
      missing.push(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const { host, cluster } = sources;
  const seen = cluster && (await attempt('The cluster was not asked', () => lookUp(cluster, name, uid)));
  const known = uid ?? seen?.claim?.metadata.uid;
  const clusterName =
    host &&
    (await attempt('The host was not asked', () =>
      whichCluster(host, seen ? cluster : undefined, where.cluster, { mayGuess: true }),
    ));
  const asked =
    host && clusterName !== undefined
      ? await attempt('The host was not asked', async () => ({
          view: await askHost(host, clusterName, name, { named: uid, seen: known }),
        }))
      : undefined;
  const told = asked?.view;
  const found = known ?? told?.uid;
  if (found === undefined) {
    throw await notFound(sources, name, clusterName, problems, seen !== undefined || asked !== undefined);
  }
  const letters =
    host && told && mayLackItsEvent(told)
      ? await attempt('The dead letters were not looked through', () => lettersAbout(host, name, found))
      : undefined;
  const now = Date.parse(told?.now ?? '');
  return {
    clusterName: clusterName ?? where.cluster ?? where.context ?? 'of the kubeconfig',
    name,
    uid: found,
    now: Number.isFinite(now) ? now : systemClock.now(),
    ...(seen ? { cluster: seen } : {}),
    ...(told ? { host: told } : {}),
    letters: letters ?? [],
    missing,
  };
}

async function lookUp(cluster: ClusterApi, name: string, uid: string | undefined): Promise<ClusterView> {
  const seen = await askCluster(cluster, name, uid);
  if (!seen.ok) throw clusterProblem(seen.error, cluster, nodeClaims);
  return seen.view;
}

/** Where something runs, its event has come. */
const mayLackItsEvent = ({ workflows, decisions }: HostView): boolean =>
  !workflows.some(({ status }) => status === 'running') && decisions.at(-1)?.step !== 'ready';

async function notFound(
  { cluster, missing }: Sources,
  name: string,
  clusterName: string | undefined,
  problems: readonly UserError[],
  isAnswered: boolean,
): Promise<UserError> {
  if (!isAnswered && problems[0] !== undefined) return problems[0];
  if (!isAnswered && missing.length > 0) return new UserError(missing.join('\n'), { code: 'HostUnreachable' });
  const near = cluster === undefined ? '' : await nearestName(cluster, nodeClaims, name);
  const where = clusterName === undefined ? 'The cluster' : `Cluster ${clusterName}`;
  return new UserError(
    `${where} has no NodeClaim ${name}${near || '; one that is gone is asked for with --uid <uid>.'}`,
    { code: 'UnknownClaim' },
  );
}
