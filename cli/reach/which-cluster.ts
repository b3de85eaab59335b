/** By which name the host knows the cluster that the kubeconfig leads to. Both know the uid of its namespace kube-system. */
import { didYouMean } from '../../shared/base/nearest.ts';
import { type ClusterApi, namespaces } from '../../shared/kube/contract.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { UserError } from '../terminal/user-error.ts';
import { type ClusterChoice, isNamed, openClusterIfAny } from './cluster-access.ts';
import type { HostApi } from './host-api.ts';

interface ServedCluster {
  name: string;
  /** Of its namespace kube-system; absent while the host has not reached it. */
  uid?: string;
}

/**
 * `named` is what --cluster says, and wins. Without a cluster that answers, it must be the host's only one.
 * @param mayGuess Who only reads may take the one cluster that the host has not reached for that of the kubeconfig: often that is what
 * is the matter. Who acts may not.
 */
export async function whichCluster(
  host: HostApi,
  cluster: ClusterApi | undefined,
  named: string | undefined,
  { mayGuess = false }: { mayGuess?: boolean } = {},
): Promise<string> {
  const { items } = await host.ask<{ items: ServedCluster[] }>('GET', '/v1/clusters');
  if (named !== undefined) return known(named, items);
  const uid = cluster === undefined ? undefined : await uidOf(cluster);
  const sure = uid === undefined ? undefined : items.find((one) => one.uid === uid);
  if (sure !== undefined) return sure.name;
  const [only, ...others] = items.filter((one) => uid === undefined || one.uid === undefined);
  if (only === undefined) throw notServed(items);
  if (others.length === 0 && (uid === undefined || mayGuess)) return only.name;
  const choice = `--cluster ${[only, ...others].map(({ name }) => name).join(' or --cluster ')}`;
  throw new UserError(
    uid === undefined
      ? `Pass the cluster: ${choice}`
      : `The kubeconfig's cluster is not one that the host has reached, and the host has not reached all of its clusters yet. If it is one of those, pass ${choice}`,
    { code: 'AmbiguousCluster', exitCode: exitCodes.misused },
  );
}

/** The same for what a command line says: --cluster, or the kubeconfig, or nothing where the host has but one. */
export async function clusterFor(host: HostApi, options: ClusterChoice & { cluster?: string }): Promise<string> {
  const reached = options.cluster === undefined ? await openClusterIfAny(options) : undefined;
  try {
    if (reached !== undefined && isNamed(options) && (await uidOf(reached)) === undefined) throw unsure(reached);
    return await whichCluster(host, reached, options.cluster);
  } finally {
    reached?.close();
  }
}

function known(named: string, items: readonly ServedCluster[]): string {
  const names = items.map(({ name }) => name);
  if (names.includes(named)) return named;
  throw new UserError(
    `--cluster: the host serves no cluster ${JSON.stringify(named)}, only ${names.join(', ') || 'none at all'}`,
    { code: 'UnknownCluster', exitCode: exitCodes.misused, hint: didYouMean(named, names) },
  );
}

/** Who names a context means that cluster, and not the one that the host happens to have. */
const unsure = ({ name }: ClusterApi): UserError =>
  new UserError(
    `Cluster ${name} can't be identified: it is unreachable, or you have no permission to read its namespace kube-system. Pass --cluster with a name from 'poolwright clusters'.`,
    { code: 'AmbiguousCluster', exitCode: exitCodes.misused },
  );

const notServed = (items: readonly ServedCluster[]): UserError =>
  new UserError(
    items.length === 0
      ? 'The host serves no cluster. Add one to its configuration, under clusters.'
      : `The host does not serve the kubeconfig's cluster; it serves ${items.map(({ name }) => name).join(', ')}. Pass the right one with --kubeconfig or --context, or with --cluster if it is one of these.`,
    { code: 'UnknownCluster' },
  );

/** Whoever can't read it, or can't reach the cluster, has to be asked. */
async function uidOf(cluster: ClusterApi): Promise<string | undefined> {
  const found = await cluster.get(namespaces, { name: 'kube-system' });
  return found.ok ? found.value.metadata.uid : undefined;
}
