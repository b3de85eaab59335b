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
 * `named` is what --cluster says; the kubeconfig must not lead to another one. Without a cluster that answers, it must be the host's only one.
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
  const uid = cluster === undefined ? undefined : await uidOf(cluster);
  if (named !== undefined) {
    const { name, uid: hosted } = known(named, items);
    if (uid !== undefined && hosted !== undefined && hosted !== uid) throw new WrongCluster(name, nameOf(uid, items));
    return name;
  }
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
  // The host alone is asked. A kubeconfig that nobody named may lead anywhere.
  const reached = options.cluster === undefined || isNamed(options) ? await openClusterIfAny(options) : undefined;
  try {
    if (
      options.cluster === undefined &&
      reached !== undefined &&
      isNamed(options) &&
      (await uidOf(reached)) === undefined
    )
      throw unsure(reached);
    return await whichCluster(host, reached, options.cluster);
  } finally {
    reached?.close();
  }
}

/** For who asks the kubeconfig's cluster in the name of --cluster: they must be the same, and both have to say so. */
export async function mustBeCluster(host: HostApi, cluster: ClusterApi, named: string): Promise<void> {
  await whichCluster(host, cluster, named);
  if ((await uidOf(cluster)) === undefined) throw unsure(cluster);
  const { items } = await host.ask<{ items: ServedCluster[] }>('GET', '/v1/clusters');
  if (items.some(({ name, uid }) => name === named && uid !== undefined)) return;
  throw new UserError(
    `The host has not reached its cluster ${named} yet, so it is not certain that the kubeconfig leads to the same cluster. Omit --cluster to use the kubeconfig's cluster.`,
    { code: 'AmbiguousCluster' },
  );
}

/** The kubeconfig and --cluster name two clusters: what one says must not be taken for the other's. */
export class WrongCluster extends UserError {
  constructor(named: string, meant: string | undefined) {
    const served = meant === undefined ? '' : `, but to the host's cluster ${meant}`;
    super(
      `The kubeconfig does not lead to the host's cluster ${named}${served} (their kube-system namespaces have different uids). Pass the kubeconfig or context of ${named}, or ${meant === undefined ? 'omit --cluster' : `--cluster ${meant}`}.`,
      { code: 'AmbiguousCluster', exitCode: exitCodes.misused },
    );
  }
}

const nameOf = (uid: string, items: readonly ServedCluster[]): string | undefined =>
  items.find((one) => one.uid === uid)?.name;

function known(named: string, items: readonly ServedCluster[]): ServedCluster {
  const names = items.map(({ name }) => name);
  const found = items.find(({ name }) => name === named);
  if (found) return found;
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
