/**
 * Everything that can be had about a claim. A host that answers gives the whole explanation; else cluster and host are asked each for
 * itself (`apart.ts`).
 */

import type { Answer } from '../../../shared/explain/answer.ts';
import { eventsAbout } from '../../../shared/explain/cluster-view.ts';
import { type ClusterApi, nodeClaims } from '../../../shared/kube/contract.ts';
import { type ClusterChoice, isNamed, openCluster } from '../../reach/cluster-access.ts';
import { type HostAddress, type HostApi, openHostApi } from '../../reach/host-api.ts';
import { nearestName } from '../../reach/nearest-name.ts';
import { WrongCluster, whichCluster } from '../../reach/which-cluster.ts';
import { UserError } from '../../terminal/user-error.ts';
import { explainApart } from './apart.ts';
import { askExplanation } from './host-view.ts';

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
    orMissing(async () => openHostApi(where), 'The host was not queried', missing),
    orMissing(() => openCluster(where), 'The cluster was not queried', missing),
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
  answer: Answer;
  /** Sentences: whom nobody could ask, and why. */
  missing: string[];
}

export async function gather(
  sources: Sources,
  where: Where,
  name: string,
  { uid, trace = false }: { uid?: string | undefined; trace?: boolean } = {},
): Promise<Gathered> {
  const missing = [...sources.missing];
  const problems: UserError[] = [];
  const attempt = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof WrongCluster) throw error;
      problems.push(error);
      missing.push(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const { host } = sources;
  let { cluster } = sources;
  let hostedAs: string | undefined;
  try {
    hostedAs =
      host &&
      (await attempt('The host was not queried', () => whichCluster(host, cluster, where.cluster, { mayGuess: true })));
  } catch (error) {
    // A kubeconfig that nobody named is not worth an error: the host knows the cluster that was named.
    if (!(error instanceof WrongCluster) || isNamed(where)) throw error;
    missing.push(`The cluster was not queried: ${error.message}`);
    cluster = undefined;
    hostedAs = where.cluster;
  }
  // The host reads the claim itself: one that answers leaves nothing to ask.
  const whole =
    host && hostedAs !== undefined
      ? await attempt('The host was not queried', async () => ({
          answer: await askExplanation(host, hostedAs, name, { uid, trace }),
        }))
      : undefined;
  if (whole?.answer) return { answer: await completed(whole.answer, cluster, missing), missing };
  const found = await explainApart({
    // Who did not answer at all is not asked twice.
    host: whole === undefined ? undefined : host,
    cluster,
    hostedAs,
    calledElse: where.cluster ?? where.context ?? 'of the kubeconfig',
    name,
    uid,
    trace,
    attempt,
  });
  if ('answer' in found) return { answer: found.answer, missing };
  throw await notFound({ cluster, missing: sources.missing }, name, hostedAs, problems, found.isAnswered);
}

/** A host need not have the right to list Events; whoever asks may. */
async function completed(answer: Answer, cluster: ClusterApi | undefined, missing: string[]): Promise<Answer> {
  if (answer.missing.includes('dead-letters')) missing.push('The dead letters were not searched by the host.');
  if (!answer.missing.includes('events') || !cluster) return answer;
  const told = (await eventsAbout(cluster, answer.uid)) ?? [];
  return { ...answer, events: told.map((event) => ({ ...event, at: new Date(event.at).toISOString() })) };
}

async function notFound(
  { cluster, missing }: { cluster: ClusterApi | undefined; missing: readonly string[] },
  name: string,
  clusterName: string | undefined,
  problems: readonly UserError[],
  isAnswered: boolean,
): Promise<UserError> {
  if (!isAnswered && problems[0] !== undefined) return problems[0];
  if (!isAnswered && missing.length > 0) return new UserError(missing.join('\n'), { code: 'HostUnreachable' });
  const near = cluster === undefined ? '' : await nearestName(cluster, nodeClaims, name);
  const where = clusterName === undefined ? 'The cluster' : `Cluster ${clusterName}`;
  const otherwise = near === '' ? '; for a deleted claim, pass --uid <uid>.' : '';
  return new UserError(`${where} has no NodeClaim ${name}${otherwise}`, { code: 'UnknownClaim', hint: near });
}
