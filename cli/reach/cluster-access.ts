/** The cluster that a command is about, by kubeconfig and context as kubectl has them. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describeProblems } from '../../shared/base/problems.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { configuredAccess } from '../../shared/kube/access/configured-access.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { UserError } from '../terminal/user-error.ts';

export interface ClusterChoice {
  kubeconfig?: string;
  context?: string;
  /** Where a host with a simulated cluster has left its kubeconfig, perhaps. */
  dataDir?: string;
}

const requestTimeoutMs = 30_000;

/**
 * What was named; else KUBECONFIG; else the simulated cluster of the host in the data directory, so that the first minutes
 * need no flag; else ~/.kube/config.
 */
export function kubeconfigFile({ kubeconfig, context, dataDir }: ClusterChoice, env = process.env): string {
  if (kubeconfig !== undefined) return kubeconfig;
  if (env.KUBECONFIG) return env.KUBECONFIG;
  const simulated = dataDir === undefined ? undefined : join(dataDir, 'kubeconfig');
  if (context === undefined && simulated !== undefined && existsSync(simulated)) return simulated;
  return join(homedir(), '.kube/config');
}

/** @param fieldManager Whose the fields are that the command writes; usually its own. */
export async function openCluster(choice: ClusterChoice, fieldManager = 'poolwright-cli'): Promise<ClusterApi> {
  const file = kubeconfigFile(choice);
  const { context } = choice;
  const found = await configuredAccess({ kubeconfig: file, context }, { env: process.env, clock: systemClock });
  const problem = found.ok ? found.value.problem && describeProblems([found.value.problem]) : found.error.message;
  if (!found.ok || problem !== undefined) {
    throw new UserError(`${problem}. Pass another one with --kubeconfig.`, { code: 'NoClusterAccess' });
  }
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs, fieldManager };
  return connectCluster({ name: context ?? file, ...common, ...found.value.access });
}

/** Where the kubeconfig only helps: undefined if there is none. One that somebody has named must be there. */
export async function openClusterIfAny(choice: ClusterChoice): Promise<ClusterApi | undefined> {
  try {
    return await openCluster(choice);
  } catch (error) {
    if (error instanceof UserError && !isNamed(choice)) return undefined;
    throw error;
  }
}

export const isNamed = ({ kubeconfig, context }: ClusterChoice): boolean =>
  kubeconfig !== undefined || context !== undefined;

/** Opens, uses and closes. */
export async function withCluster<T>(choice: ClusterChoice, use: (api: ClusterApi) => Promise<T>): Promise<T> {
  const api = await openCluster(choice);
  try {
    return await use(api);
  } finally {
    api.close();
  }
}
