/** What is there already under the names of a Provider's objects: ours, VirtRigaud's, or of somebody else. */
import { ok, type Result } from '../../base/result.ts';
import { deployments, type KubeObject } from '../../kube/contract.ts';
import type { RuntimeObject } from './manifests/manifests.ts';
import { isOf, type ProviderObject, runtimeNameOf, selectorOf, upstreamNameOf } from './object.ts';
import type { DeploymentObject } from './round.ts';
import type { ProviderPlace } from './services.ts';

export interface Existing {
  /** Of all objects. */
  name: string;
  selector: Record<string, string>;
  deployment?: DeploymentObject;
}

/** A Deployment that VirtRigaud's manager made goes on under its name, and with its selector, which cannot change. */
export async function existingOf(
  { api }: ProviderPlace,
  provider: ProviderObject,
  signal?: AbortSignal,
): Promise<Result<Existing>> {
  const { namespace, name: providerName } = provider.metadata;
  const names = [upstreamNameOf(provider), runtimeNameOf(provider)];
  for (const name of names.filter((one) => one.length <= 63)) {
    const found = await api.get<DeploymentObject>(deployments, { name, namespace }, signal);
    if (!found.ok && found.error.kind !== 'not-found') return found;
    if (!found.ok || !isOf(provider, found.value)) continue;
    const selector = found.value.spec?.selector?.matchLabels ?? selectorOf(providerName);
    return ok({ name, selector, deployment: found.value });
  }
  return ok({ name: runtimeNameOf(provider), selector: selectorOf(providerName) });
}

/** The first object that is somebody else's. */
export async function foreignAmong(
  { api }: ProviderPlace,
  provider: ProviderObject,
  name: string,
  objects: readonly RuntimeObject[],
  signal?: AbortSignal,
): Promise<Result<string | undefined>> {
  const { namespace } = provider.metadata;
  for (const { resource } of objects) {
    const found = await api.get<KubeObject>(resource, { name, namespace }, signal);
    if (!found.ok && found.error.kind !== 'not-found') return found;
    if (found.ok && !isOf(provider, found.value)) return ok(`${resource.kind} ${namespace}/${name}`);
  }
  return ok(undefined);
}
