/** How each configured cluster is reached; what can't work is said before anything is asked. */

import { defined } from '../../../shared/base/defined.ts';
import { describeProblems, failedBy, mistakesIn, type Problem, problemsBelow } from '../../../shared/base/problems.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { providerOfAccess } from '../../../shared/config/access-checks.ts';
import type { ClusterConfig, Config } from '../../../shared/config/load.ts';
import type { ClusterAccess } from '../../../shared/kube/access/access.ts';
import { completeAccess, configuredAccess } from '../../../shared/kube/access/configured-access.ts';
import { referencedAccess, referenceProblem, referencesIn } from '../../../shared/kube/access/referenced-access.ts';
import { deferCluster } from '../../../shared/kube/client/deferred.ts';
import { type ClusterConnection, connectCluster } from '../../../shared/kube/client/http.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { credentialsFrom } from '../../../shared/platforms/aws/credentials.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { providerOptions } from './provider-options.ts';

/** Makes the client of a cluster. */
export type OpenClusterApi = (connection: Omit<ClusterConnection, keyof ClusterAccess>) => ClusterApi;

interface Parts {
  config: Config;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Every mistake at once. What only time or a renewed file can mend is said, and does not keep the other clusters waiting.
 * @param isElsewhere Whether the fields of the cluster do not say how it is reached.
 */
export async function clusterOpeners(
  parts: Parts,
  isElsewhere: (cluster: string) => boolean = () => false,
): Promise<Result<Map<string, OpenClusterApi>>> {
  const { config, log } = parts;
  const openers = new Map<string, OpenClusterApi>();
  const mistakes: Problem[] = [];
  const problems: Problem[] = [];
  for (const [name, cluster] of Object.entries(config.clusters)) {
    if (isElsewhere(name)) continue;
    const opener = await (cluster.access === undefined
      ? configuredOpener(cluster, parts)
      : cloudOpener(cluster, cluster.access, parts));
    if (!opener.ok) {
      mistakes.push(...problemsBelow(`clusters.${name}`, mistakesIn(opener.error)));
      continue;
    }
    const { open, access, problem } = opener.value;
    openers.set(name, open);
    if (access?.skipTlsVerify === true) log.write('cluster.tls.unverified', { cluster: name, url: access.url });
    if (problem === undefined) continue;
    problems.push(...problemsBelow(`clusters.${name}`, [problem]));
    log.write('cluster.access.doubtful', { cluster: name, problem: describeProblems([problem]) });
  }
  // Nothing could be done at all: better to stop than to wait for a miracle.
  if (problems.length > 0 && problems.length === Object.keys(config.clusters).length) mistakes.push(...problems);
  if (mistakes.length === 0) return ok(openers);
  const lines = mistakes.map((mistake) => describeProblems([mistake]));
  return failed('invalid', lines.join('\n'), { problems: mistakes });
}

interface ClusterOpener {
  open: OpenClusterApi;
  access?: ClusterAccess;
  problem?: Problem;
}

async function configuredOpener(cluster: ClusterConfig, { clock, env }: Parts): Promise<Result<ClusterOpener>> {
  if (referencesIn(cluster).length > 0) return referencedOpener(cluster, { clock, env });
  const configured = await configuredAccess(cluster, { env, clock });
  if (!configured.ok) return configured;
  const { access, problem } = configured.value;
  return ok({
    access,
    ...defined({ problem }),
    open: (connection) => connectCluster({ ...access, ...connection }),
  });
}

/** By secrets that the fields refer to. A store that does not answer holds up this cluster and no other. */
async function referencedOpener(
  cluster: ClusterConfig,
  { clock, env }: Pick<Parts, 'clock' | 'env'>,
): Promise<Result<ClusterOpener>> {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined;
  const problem = referenceProblem(cluster, region);
  if (problem !== undefined) return failedBy([problem]);
  const { openSecrets } = await import('../../../shared/platforms/aws/secrets.ts');
  const credentials = credentialsFrom(env);
  const connection = { region: region ?? '', ...defined({ credentials }) };
  const secrets = openSecrets({ connection, env, clock });
  return ok({
    open: (link) =>
      deferCluster({
        name: link.name,
        clock,
        find: async () => {
          const found = await referencedAccess(cluster, secrets, { env, clock });
          return found.ok ? ok(found.value.access) : found;
        },
        connect: (access) => connectCluster({ ...access, ...link }),
        close: () => undefined,
      }),
  });
}

/** By the identity of the cluster's own provider. With an address beside it, only the token comes from the cloud. */
async function cloudOpener(
  cluster: ClusterConfig,
  by: string,
  { config, clock, env }: Parts,
): Promise<Result<ClusterOpener>> {
  const type = providerOfAccess[by] ?? by;
  const provider = cluster.providers.map((name) => config.providers[name]).find((one) => one?.type === type);
  const load = manifestOf(type)?.access?.load;
  if (load === undefined) {
    return failedBy([{ path: 'access', message: `provider type ${type} does not offer access to clusters` }]);
  }
  const { openCluster } = await load();
  const opened = openCluster(providerOptions(provider, cluster), { clock, env });
  if (!opened.ok) {
    return failedBy(
      mistakesIn(opened.error).map(({ path: _, ...problem }, index, all) => ({
        ...problem,
        path: 'access',
        message: describeProblems(all.slice(index, index + 1)),
      })),
    );
  }
  const cloud = opened.value;
  if (cluster.server !== undefined) {
    const configured = await configuredAccess(cluster, { env, clock });
    if (!configured.ok) return configured;
    const access = { ...configured.value.access, issue: cloud.issue };
    return ok({ ...configured.value, access, open: (connection) => connectCluster({ ...access, ...connection }) });
  }
  return ok({
    open: (connection) =>
      deferCluster({
        name: connection.name,
        clock,
        find: async (signal) => {
          const found = await cloud.find(signal);
          if (!found.ok) return found;
          const whole = completeAccess(found.value, cluster, { env, clock });
          return whole.ok ? ok(whole.value.access) : whole;
        },
        connect: (access) => connectCluster({ ...access, ...connection }),
        close: () => cloud.close(),
      }),
  });
}
