/** Puts the objects of a Provider into the cluster, and takes away what it no longer wants. */
import { fingerprint } from '../../base/fingerprint.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { deployments, type KubeObject } from '../../kube/contract.ts';
import { type Existing, foreignAmong } from './existing.ts';
import { type RuntimePlan, runtimeObjects, wantsPolicy } from './manifests/manifests.ts';
import { isOf, networkPolicies } from './object.ts';
import type { ProviderProblem } from './problems.ts';
import type { DeploymentObject } from './round.ts';
import type { ProviderPlace, ProviderServices } from './services.ts';

/** What somebody changed or deleted by hand is put right after this time, or when the Provider changes. */
const againMs = 5 * 60_000;

export type Applied =
  | { ok: true; value: DeploymentObject }
  | { ok: false; problem: ProviderProblem }
  | { ok: false; failure: { message: string } };

export async function applyRuntime(
  { memory, clock }: ProviderServices,
  place: ProviderPlace,
  plan: RuntimePlan,
  existing: Existing,
  signal?: AbortSignal,
): Promise<Applied> {
  const { uid } = plan.provider.metadata;
  const objects = runtimeObjects(plan);
  const what = fingerprint(objects.map(({ manifest }) => manifest));
  const last = memory.applied.get(uid);
  const recent = last?.what === what && clock.now() - last.at < againMs;
  if (existing.deployment !== undefined && recent) return { ok: true, value: existing.deployment };
  const foreign = await foreignAmong(place, plan.provider, plan.name, objects, signal);
  if (!foreign.ok) return { ok: false, failure: foreign.error };
  if (foreign.value !== undefined) {
    const message = `${foreign.value} exists and belongs to something else; rename it, or the Provider`;
    return { ok: false, problem: { code: 'ProviderNameTaken', message } };
  }
  let deployment: DeploymentObject | undefined;
  for (const { resource, manifest } of objects) {
    // Forced: nobody else has a say in an object of ours, and one of VirtRigaud's is taken over.
    const applied = await place.api.apply<DeploymentObject>(resource, manifest, { force: true, strict: true }, signal);
    if (!applied.ok) return refused(applied.error, resource.kind);
    if (resource === deployments) deployment = applied.value;
  }
  const swept = await withoutPolicy(place, plan, signal);
  if (!swept.ok) return { ok: false, failure: swept.error };
  if (deployment === undefined) return { ok: false, failure: { message: 'no Deployment came back' } };
  memory.applied.set(uid, { what, at: clock.now() });
  return { ok: true, value: deployment };
}

function refused({ kind, message }: { kind: string; message: string }, what: string): Applied {
  if (kind !== 'invalid' && kind !== 'unauthorised') return { ok: false, failure: { message } };
  return { ok: false, problem: { code: 'ProviderRuntimeRefused', message: `${what}: ${message}` } };
}

/** One that was wanted once would go on to keep callers out. */
async function withoutPolicy({ api }: ProviderPlace, plan: RuntimePlan, signal?: AbortSignal): Promise<Result<void>> {
  if (wantsPolicy(plan.provider)) return ok(undefined);
  const ref = { name: plan.name, namespace: plan.provider.metadata.namespace };
  const found = await api.get<KubeObject>(networkPolicies, ref, signal);
  if (!found.ok) return found.error.kind === 'not-found' ? ok(undefined) : found;
  if (!isOf(plan.provider, found.value)) return ok(undefined);
  const gone = await api.delete(networkPolicies, ref, { uid: found.value.metadata.uid }, signal);
  return gone.ok || gone.error.kind === 'not-found' ? ok(undefined) : failed(gone.error.kind, gone.error.message);
}
