/**
 * What has the marks of a request that is surely gone: somebody took its finalizer away, or a store was lost. Two readings, a grace apart,
 * come before anything is removed. A cluster that exists is never removed without the deletion of its request, and neither is the group that
 * it may be in, or what a delete guard keeps: those are reported until somebody decides.
 */
import type { GaugeSample } from '../../observe/metrics.ts';
import { forgetSeen, seenTwice } from '../../state/two-readings.ts';
import { removeInOrder } from '../activities/removal.ts';
import type { Found } from '../drivers/contract.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { keyOf } from '../steps/own-things.ts';

const tellAgainSeconds = 3600;
const policyAnnotation = 'serviceoperator.azure.com/reconcile-policy';
const kept = new Set(['ManagedCluster', 'ResourceGroup']);

/** @param requests Uids of all requests whose things the driver can see. */
export async function collectOrphans(
  services: ClusterRequestServices,
  place: RequestPlace,
  found: readonly Found[],
  requests: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const orphans = found.filter(({ owner }) => isOurs(services, owner) && !requests.has(owner.uid));
  setGauge(services, place, orphans);
  for (const [uid, things] of Map.groupBy(orphans, ({ owner }) => owner.uid)) {
    await collectOne(services, place, uid, things, signal);
  }
}

const isOurs = ({ deployment }: ClusterRequestServices, owner: Found['owner']): boolean =>
  owner.uid !== '' && (owner.deployment === undefined || owner.deployment === deployment);

async function collectOne(
  services: ClusterRequestServices,
  place: RequestPlace,
  uid: string,
  things: readonly Found[],
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: place.name, uid });
  const seen = `cluster-request-orphan/${place.name}/${uid}`;
  if (!(await seenTwice(services, seen, place.settings.graceSeconds))) return;
  const removable = removableOf(things);
  const rest = things.filter((one) => !removable.includes(one));
  if (rest.length > 0) {
    const first = await isFirst(services, `${seen}/kept`);
    if (first) log.write('cluster-request.orphan', { objects: namesOf(rest) });
  }
  if (removable.length === 0) return;
  // Said when it begins: what is gone by the next round is seen by nobody.
  if (await isFirst(services, `${seen}/removed`)) {
    log.write('cluster-request.orphan.removed', { objects: namesOf(removable) });
  }
  const waiting = await removeInOrder(
    place,
    removable.map(({ manifest }) => manifest),
    signal,
  );
  if (waiting === undefined && rest.length === 0) await forgetSeen(services, seen);
}

const isFirst = async ({ state }: ClusterRequestServices, what: string): Promise<boolean> =>
  (await state.put(`told/${what}`, true, { ifVersion: null, ttlSeconds: tellAgainSeconds })) !== undefined;

function removableOf(things: readonly Found[]): Found[] {
  const hasCluster = things.some(({ manifest, everMade }) => manifest.kind === 'ManagedCluster' && everMade);
  return things.filter(({ manifest, everMade }) => {
    if (manifest.metadata.annotations?.[policyAnnotation] === 'detach-on-delete') return false;
    return !everMade || (!hasCluster && !kept.has(manifest.kind));
  });
}

const namesOf = (things: readonly Found[]): string => things.map(({ manifest }) => keyOf(manifest)).join(', ');

function setGauge({ metrics }: ClusterRequestServices, { name: cluster }: RequestPlace, orphans: readonly Found[]) {
  const kinds = Map.groupBy(orphans, ({ manifest }) => manifest.kind);
  const samples = [...kinds].map(
    ([kind, list]): GaugeSample<'cluster' | 'kind'> => ({ labels: { cluster, kind }, value: list.length }),
  );
  metrics.clusterOrphans.replace(cluster, samples);
}
