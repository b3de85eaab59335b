/**
 * Clusters that requests have made, as a host serves them: like clusters of the configuration, written at run time. How one is reached is
 * not in its record: credentials stay where they are, and are fetched when the host connects.
 */
import { defined } from '../../../shared/base/defined.ts';
import { fingerprint } from '../../../shared/base/fingerprint.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { RegisteredCluster } from '../../../shared/clusters/registered/contract.ts';
import { clusterRegister } from '../../../shared/clusters/registered/register.ts';
import { addCluster, type ClusterInput } from '../../../shared/config/add-cluster.ts';
import type { Config } from '../../../shared/config/load.ts';
import { makesClusters } from '../../../shared/config/request-places.ts';
import type { ClusterAccess } from '../../../shared/kube/access/access.ts';
import { deferCluster } from '../../../shared/kube/client/deferred.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { secretLookup } from '../../../shared/providers/secret-lookup.ts';
import type { State } from '../../../shared/state/contract.ts';
import type { OpenClusterApi } from './cluster-access.ts';
import { azurePlaceOf } from './requests/arm-id.ts';

/** The configuration with the registered clusters in it, and their records by name. */
export interface Served {
  config: Config;
  records: ReadonlyMap<string, RegisteredCluster>;
  /** Of what the register held. */
  seen: string;
}

export const registerOf = (config: Config, state: State) =>
  clusterRegister({ state, configured: Object.keys(config.clusters) });

/** @param config Without registered clusters. */
export async function withRegistered(config: Config, state: State, log: Log): Promise<Result<Served>> {
  if (!makesClusters(config)) return ok({ config, records: new Map(), seen: fingerprint([]) });
  const listed = await registerOf(config, state).list();
  return listed.ok ? ok(servedWith(config, listed.value, log)) : listed;
}

/** A record that cannot be used holds up no other cluster. */
export function servedWith(config: Config, records: readonly RegisteredCluster[], log: Log): Served {
  const served = new Map<string, RegisteredCluster>();
  let whole = config;
  for (const record of records) {
    const added = addCluster(whole, record.name, inputOf(record, config));
    if (added.ok) {
      whole = added.value;
      served.set(record.name, record);
    } else {
      log.write('cluster.access.doubtful', { cluster: record.name, problem: added.error.message });
    }
  }
  return { config: whole, records: served, seen: fingerprint(records) };
}

/** Whether the register has come to hold something else than what is served. What cannot be read has not changed. */
export async function hasNewRecords(config: Config, state: State, { seen }: Served): Promise<boolean> {
  if (!makesClusters(config)) return false;
  const listed = await registerOf(config, state).list();
  return listed.ok && fingerprint(listed.value) !== seen;
}

function inputOf(
  { server, access, certificateAuthority, place, providers, request }: RegisteredCluster,
  config: Config,
) {
  const id = place?.id ?? (access.kind === 'secret' ? undefined : access.id);
  const azure = { ...azurePlaceOf(id), location: place?.location };
  const usual = config.clusters[request.store]?.providers;
  return {
    server,
    ...(access.kind === 'secret' ? {} : { access: access.kind }),
    ...defined({ certificateAuthority, providers: [...(providers ?? usual ?? Object.keys(config.providers))] }),
    azure: defined(azure),
  } as ClusterInput;
}

/**
 * By the kubeconfig in a Secret of the management cluster. A command in it is not run: whoever may write the Secret would run programs here.
 * @param apiOf The clusters that are connected.
 */
export const openerByKubeconfig =
  (
    access: Extract<RegisteredCluster['access'], { kind: 'secret' }>,
    apiOf: (cluster: string) => ClusterApi | undefined,
  ): OpenClusterApi =>
  (connection) =>
    deferCluster({
      name: connection.name,
      clock: connection.clock,
      find: (signal) => kubeconfigAccess(access, apiOf(access.cluster), signal),
      connect: (found) => connectCluster({ ...found, ...connection }),
      close: () => undefined,
    });

async function kubeconfigAccess(
  { cluster, namespace, name, key }: Extract<RegisteredCluster['access'], { kind: 'secret' }>,
  api: ClusterApi | undefined,
  signal: AbortSignal,
): Promise<Result<ClusterAccess>> {
  const where = `the kubeconfig in the Secret ${namespace}/${name} of cluster ${cluster}`;
  if (api === undefined) return failed('unavailable', `${where} cannot be read: this host does not serve that cluster`);
  const secret = await secretLookup(api).read({ namespace, name }, signal);
  if (!secret.ok) return secret;
  const text = secret.value[key];
  if (text === undefined) return failed('invalid', `${where} is missing: the Secret has no key ${key}`);
  const { readKubeconfigText } = await import('../../../shared/kube/access/kubeconfig.ts');
  const read = readKubeconfigText(text);
  if (!read.ok) return failed('invalid', `${where} cannot be used: ${read.text}`);
  if (read.access.exec !== undefined) {
    return failed(
      'invalid',
      `${where} runs a command for credentials, which Poolwright does not do; let the request set access by Microsoft Entra`,
    );
  }
  return ok(read.access);
}
