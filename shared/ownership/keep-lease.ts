/** Gets, renews or waits for the Lease of one cluster. Every write is conditional on the version it was decided on. */

import type { Json } from '../base/json.ts';
import type { Failure, Result } from '../base/result.ts';
import type { Clock } from '../base/runtime.ts';
import { type ClusterApi, leases } from '../kube/contract.ts';
import type { State } from '../state/contract.ts';
import { type Holder, holderIdentity, judgeLease, type LeaseObject, type LeaseSeen, seenNow } from './lease.ts';

export interface LeaseSettings {
  namespace: string;
  name: string;
  /** A holder that shows no sign of life for so long is taken for gone. */
  seconds: number;
}

export interface LeaseParts {
  api: ClusterApi;
  lease: LeaseSettings;
  us: Holder;
  clock: Clock;
  state: State;
  /** Whether a name is that of another configured cluster. */
  isOtherCluster(name: string): boolean;
}

export type LeaseKept =
  /** `since`: from when our time runs, on the safe side. `from`: whose it was before, if it was taken now. */
  | { held: true; since: number; from?: string }
  | { held: false; holder: string; why: 'held' | 'expired-but-foreign'; since: number; lease: LeaseObject }
  /** We hold it under another of our configured names: two entries lead to the same cluster. */
  | { held: false; twin: string; lease: LeaseObject };

/** Under which of our names the holder knows the cluster. */
export const clusterAnnotation = 'poolwright.dev/cluster';

/** Who loses a race reads anew; who loses so often comes back at the next renewal. */
const maxRaces = 4;

export async function keepLease(parts: LeaseParts, signal?: AbortSignal): Promise<Result<LeaseKept>> {
  const { api, lease: settings, us, clock } = parts;
  const ref = { namespace: settings.namespace, name: settings.name };
  let lost: Failure = { kind: 'conflict', message: `the Lease ${settings.namespace}/${settings.name} keeps changing` };
  for (let race = 0; race < maxRaces; race++) {
    // Before the request: our time runs from when the holder before us could last have been right.
    const now = clock.now();
    const read = await api.get<LeaseObject>(leases, ref, signal);
    if (!read.ok && read.error.kind !== 'not-found') return read;
    const lease = read.ok ? read.value : undefined;
    const seen = lease && (await observe(parts, lease, now));
    const { seconds: leaseSeconds } = settings;
    const verdict = judgeLease({ lease, us, seen, now, leaseSeconds, freshSeconds: leaseSeconds / 8 });
    if (verdict.do === 'stand-by' && lease) return { ok: true, value: { held: false, ...verdict, lease } };
    if (lease && (verdict.do === 'renew' || verdict.do === 'keep')) {
      const known = lease.metadata.annotations?.[clusterAnnotation];
      if (known !== undefined && known !== api.name && parts.isOtherCluster(known)) {
        return { ok: true, value: { held: false, twin: known, lease } };
      }
    }
    if (verdict.do === 'keep') return { ok: true, value: { held: true, since: Math.min(now, verdict.renewedAt) } };
    const written = await write(parts, lease, verdict.do, now, signal);
    if (written.ok) {
      return { ok: true, value: { held: true, since: now, ...(verdict.do === 'take' ? { from: verdict.from } : {}) } };
    }
    if (written.error.kind !== 'conflict' && written.error.kind !== 'not-found') return written;
    lost = written.error;
  }
  return { ok: false, error: lost };
}

/** The observation outlives the process: a function that runs once a minute could never see a Lease grow old otherwise. */
async function observe(
  { api, state, lease: { seconds } }: LeaseParts,
  lease: LeaseObject,
  now: number,
): Promise<LeaseSeen> {
  const key = `lease-seen/${api.name}`;
  const before = await state.get<LeaseSeen>(key);
  const seen = seenNow(lease, before?.value, now);
  if (seen !== before?.value) await state.put(key, seen, { ttlSeconds: Math.max(3600, seconds * 10) });
  return seen;
}

function write(
  { api, lease: settings, us }: LeaseParts,
  lease: LeaseObject | undefined,
  how: 'create' | 'renew' | 'take' | 'stand-by',
  now: number,
  signal: AbortSignal | undefined,
): Promise<Result<LeaseObject>> {
  const { namespace, name, seconds } = settings;
  const time = microTime(now);
  const annotations = { [clusterAnnotation]: api.name };
  const held = { holderIdentity: holderIdentity(us), leaseDurationSeconds: seconds, renewTime: time };
  if (!lease) {
    const object: Json = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, annotations },
      spec: { ...held, acquireTime: time, leaseTransitions: 0 },
    };
    return api.create<LeaseObject>(leases, object, signal);
  }
  const { uid, resourceVersion } = lease.metadata;
  const taken = how === 'take' ? { acquireTime: time, leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1 } : {};
  const patch: Json = { metadata: { uid, resourceVersion, annotations }, spec: { ...held, ...taken } };
  return api.mergePatch<LeaseObject>(leases, { namespace, name }, patch, {}, signal);
}

/** The API server wants six digits after the point. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z');
