/** How both kinds of Azure's clusters are reached: a kubeconfig from ARM says where, Entra ID says who we are. */

import type { Environment } from '../../base/environment.ts';
import { isObject, type Json } from '../../base/json.ts';
import { failedBy } from '../../base/problems.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { CloudCluster, ExecPlugin } from '../../kube/access/access.ts';
import { type AzureConnection, connectAzure } from '../../platforms/azure/connection.ts';
import { type AzureOptions, readAzureOptions } from './options.ts';

/** What AKS and Azure Local are called in Entra ID, in every cloud. */
const aksServerApp = '6dae42f8-4368-4678-94ff-3960e28e3630';

export interface CloudClusterContext {
  clock: Clock;
  env: Environment;
}

export type PlacedOptions = AzureOptions & { clusterName: string };

export type FetchKubeconfig = (
  connection: AzureConnection,
  options: PlacedOptions,
  signal: AbortSignal,
) => Promise<Result<string>>;

/** A failure names the fields that are wrong in its problems. */
export function openCloudCluster(
  given: Json,
  { clock, env }: CloudClusterContext,
  fetchKubeconfig: FetchKubeconfig,
): Result<CloudCluster> {
  const options = readAzureOptions(given, env);
  if (!options.ok) return options;
  const { clusterName } = options.value;
  if (clusterName === undefined) {
    // The chart's settings can't tell: they stand in the cluster that is to be reached.
    const ways = 'set azure.clusterName for the cluster, clusterName of its provider, or AZURE_CLUSTER_NAME';
    return failedBy([{ path: 'options.clusterName', message: `is missing; ${ways}`, variable: 'AZURE_CLUSTER_NAME' }]);
  }
  const placed: PlacedOptions = { ...options.value, clusterName };
  const connection = connectAzure(placed, { clock, env });
  let serverApp = aksServerApp;
  let last: string | undefined;

  const issue: CloudCluster['issue'] = async ({ renew, signal }) => {
    const scope = `${serverApp}/.default`;
    if (renew && last !== undefined) {
      const renewed = await connection.credential.renew(scope, last, undefined, signal);
      if (renewed === undefined) return failed('unauthorised', 'the token was refused, and there is no other token');
      last = renewed.token;
      return ok({ token: renewed.token, expiresAt: renewed.expiresAt });
    }
    const token = await connection.credential.token(scope, signal);
    if (!token.ok) return token;
    last = token.value.token;
    return ok({ token: token.value.token, expiresAt: token.value.expiresAt });
  };

  return ok({
    issue,
    find: async (signal) => {
      const text = await fetchKubeconfig(connection, placed, signal);
      if (!text.ok) return text;
      // It brings a YAML parser along, which those who are told an address need not load.
      const { readKubeconfigText } = await import('../../kube/access/kubeconfig.ts');
      const read = readKubeconfigText(text.value);
      if (!read.ok) return failed('invalid', `the kubeconfig from Azure is invalid: ${read.text}`);
      const { exec, ...access } = read.access;
      if (exec === undefined) return ok(access);
      // Where it says "run kubelogin", we are the login.
      serverApp = serverAppOf(exec) ?? aksServerApp;
      return ok({ ...access, issue });
    },
    close: () => connection.close(),
  });
}

function serverAppOf({ args }: ExecPlugin): string | undefined {
  const at = args.indexOf('--server-id');
  const given =
    at < 0 ? args.find((arg) => arg.startsWith('--server-id='))?.slice('--server-id='.length) : args[at + 1];
  return given === undefined || given === '' ? undefined : given;
}

/** The first of the kubeconfigs, which are in base64; undefined when there is none. */
export function kubeconfigIn(value: Json | undefined): string | undefined {
  const list = isObject(value) ? value.kubeconfigs : undefined;
  const first = Array.isArray(list) ? list[0] : undefined;
  const encoded = isObject(first) ? first.value : undefined;
  return typeof encoded === 'string' && encoded !== '' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}
