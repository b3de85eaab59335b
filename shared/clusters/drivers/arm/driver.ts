/**
 * The driver `arm`: asks Azure Resource Manager for what manifests say, so that a first cluster needs no other cluster. Nothing is waited
 * for: `apply` begins, and what came of it is read from the resource. What is ours its tags say, so that nothing has to be remembered.
 */
import { asObject } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { AzureConnection } from '../../../platforms/azure/connection.ts';
import { type AsoKind, type AsoKindName, asoKinds, type Served } from '../../manifests/api-versions.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import type { Owner } from '../../resolved/tags.ts';
import type { ClusterDriver, LookResult, NewClusterAccess, ProbeResult } from '../contract.ts';
import { ArmCalls, faultFailure } from './calls.ts';
import { find } from './find.ts';
import { handOver } from './hand-over.ts';
import { targetOf } from './kinds.ts';
import { flattened, hasFailed, isDeleting, isSettled, isWritten, looked } from './live.ts';
import type { MeasuredCall } from './measured-call.ts';
import { lookRemoved, remove } from './removal.ts';
import { type Arm, needTarget, put, read, wantedBody, whose } from './resources.ts';

export interface ArmDriverOptions {
  /** With its own identity; whoever opened it closes it. */
  connection: AzureConnection;
  /** Where all requests of the place are carried out. */
  subscriptionId: string;
  /** Told of each call, for the metrics. */
  onCall?: ((call: MeasuredCall) => void) | undefined;
}

export interface ArmDriver extends ClusterDriver {
  readonly name: 'arm';
  /** Gives everything that has the marks of one request those of another one. Safe to repeat. Answers how much it changed. */
  handOver(uid: string, to: Owner, signal?: AbortSignal): Promise<Result<number>>;
}

/** Azure has them all, but for previews that it has ended. */
const served: Served = Object.fromEntries(
  (Object.entries(asoKinds) as [AsoKindName, AsoKind][]).map(([kind, { versions }]) => [
    kind,
    versions.filter(({ removedIn }) => removedIn === undefined).map(({ version }) => version),
  ]),
);

export function createArmDriver({ connection, subscriptionId, onCall }: ArmDriverOptions): ArmDriver {
  const arm: Arm = { calls: new ArmCalls(connection, onCall), subscriptionId };
  return {
    name: 'arm',
    served: () => Promise.resolve(ok(served)),
    probe: (manifest, signal) => probe(arm, manifest, signal),
    apply: (manifest, signal) => apply(arm, manifest, signal),
    look: (manifest, signal) => look(arm, manifest, signal),
    wake: (manifest, signal) => wake(arm, manifest, signal),
    remove: (manifest, signal) => remove(arm, manifest, signal),
    lookRemoved: (manifest, signal) => lookRemoved(arm, manifest, signal),
    access: (cluster, signal) => access(arm, cluster, signal),
    async observe(manifest, signal) {
      const target = needTarget(arm, manifest);
      if (!target.ok) return target;
      const found = await read(arm, target.value, signal);
      if (!found.ok) return found;
      if (found.value.state === 'refused') return faultFailure(found.value.fault, target.value.id);
      return ok(found.value.state === 'there' ? { status: flattened(found.value.live) } : undefined);
    },
    find: (uid, signal) => find(arm, uid, signal),
    handOver: (uid, to, signal) => handOver(arm, uid, to, signal),
  };
}

async function probe(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<ProbeResult>> {
  const target = needTarget(arm, manifest);
  if (!target.ok) return target;
  const found = await read(arm, target.value, signal);
  if (!found.ok) return found;
  const { value } = found;
  if (value.state === 'absent') return ok({ state: 'free' });
  if (value.state === 'refused') return ok({ state: 'failed', failure: value.fault });
  const owner = await whose(arm, target.value, manifest, value.live, signal);
  if (!owner.ok) return owner;
  if (!owner.value.ours) return ok({ state: 'foreign', whose: owner.value.whose });
  return ok(
    isDeleting(value.live)
      ? { state: 'pending', waitingFor: `an older ${manifest.kind} ${manifest.metadata.name} to be deleted` }
      : { state: 'ours' },
  );
}

async function apply(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<void>> {
  const target = needTarget(arm, manifest);
  if (!target.ok) return target;
  const found = await read(arm, target.value, signal);
  if (!found.ok) return found;
  if (found.value.state === 'refused') return faultFailure(found.value.fault, manifest.kind);
  const live = found.value.state === 'there' ? found.value.live : undefined;
  if (live !== undefined) {
    const owner = await whose(arm, target.value, manifest, live, signal);
    if (!owner.ok) return owner;
    if (!owner.value.ours || isDeleting(live)) return failed('not-ready', `${manifest.kind} has to be probed first`);
    // Azure takes one thing after the other; what differs then is written when this has ended.
    if (!isSettled(live)) return ok(undefined);
  }
  const body = await wantedBody(arm, target.value, manifest, signal);
  if (!body.ok) return body;
  // What has failed is tried again when somebody wants it to be, and not with every look.
  if (live !== undefined && isWritten(target.value, live, body.value)) return ok(undefined);
  return await put(arm, target.value, body.value, live, signal);
}

async function look(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<LookResult>> {
  const target = needTarget(arm, manifest);
  if (!target.ok) return target;
  const found = await read(arm, target.value, signal);
  if (!found.ok) return found;
  if (found.value.state === 'refused') return faultFailure(found.value.fault, target.value.id);
  if (found.value.state === 'absent') return ok({ state: 'absent' });
  const { live } = found.value;
  const owner = await whose(arm, target.value, manifest, live, signal);
  if (!owner.ok) return owner;
  return ok(owner.value.ours ? looked(live) : { state: 'absent' });
}

/** The same again, for what has failed. */
async function wake(arm: Arm, manifest: Manifest, signal?: AbortSignal): Promise<Result<void>> {
  const target = targetOf(arm.subscriptionId, manifest);
  if (target === undefined) return ok(undefined);
  const found = await read(arm, target, signal);
  if (!found.ok) return found;
  if (found.value.state !== 'there' || !hasFailed(found.value.live)) return ok(undefined);
  const { live } = found.value;
  const owner = await whose(arm, target, manifest, live, signal);
  if (!owner.ok) return owner;
  if (!owner.value.ours) return ok(undefined);
  const body = await wantedBody(arm, target, manifest, signal);
  return body.ok ? await put(arm, target, body.value, live, signal) : body;
}

const credentialsVersion = '2025-08-01';

/** By a token of our own where there are no local accounts, else by the kubeconfig of the administrator. */
async function access(arm: Arm, cluster: Manifest, signal?: AbortSignal): Promise<Result<NewClusterAccess>> {
  const target = needTarget(arm, cluster);
  if (!target.ok) return target;
  const { id, kind } = target.value;
  const found = await look(arm, cluster, signal);
  if (!found.ok) return found;
  if (found.value.state !== 'ready') return failed('not-ready', `${kind} ${cluster.metadata.name} is not ready yet`);
  if (cluster.spec.disableLocalAccounts === true) return ok({ kind: 'aks', id });
  const path = `${id}/listClusterAdminCredential`;
  const answer = await arm.calls.call({ verb: 'POST', path, apiVersion: credentialsVersion }, signal);
  if (!answer.ok) return answer;
  if (answer.value.state === 'refused') return faultFailure(answer.value.fault, path);
  const { kubeconfigs } = (answer.value.state === 'done' ? asObject(answer.value.body) : undefined) ?? {};
  const value = Array.isArray(kubeconfigs) ? asObject(kubeconfigs[0])?.value : undefined;
  if (typeof value !== 'string' || value === '')
    return failed('not-ready', 'Azure has no kubeconfig of the cluster yet');
  return ok({ kind: 'kubeconfig', text: Buffer.from(value, 'base64').toString('utf8') });
}
