/** A Provider that is deleted keeps its pods while machines refer to it: without them, nothing could delete those machines. */

import type { Result } from '../../base/result.ts';
import { machineKinds } from '../api/kinds.ts';
import { type ProviderObject, providerFinalizer } from './object.ts';
import type { ProviderPlace } from './services.ts';

export const isLeaving = ({ metadata }: ProviderObject): boolean => metadata.deletionTimestamp !== undefined;
export const isHeld = ({ metadata }: ProviderObject): boolean =>
  metadata.finalizers?.includes(providerFinalizer) === true;

/** Everything else goes by itself: the Provider owns it. */
export const release = (
  place: ProviderPlace,
  provider: ProviderObject,
  signal?: AbortSignal,
): Promise<Result<ProviderObject>> =>
  setFinalizers(
    place,
    provider,
    (provider.metadata.finalizers ?? []).filter((one) => one !== providerFinalizer),
    signal,
  );

export const hold = (
  place: ProviderPlace,
  provider: ProviderObject,
  signal?: AbortSignal,
): Promise<Result<ProviderObject>> =>
  setFinalizers(place, provider, [...(provider.metadata.finalizers ?? []), providerFinalizer], signal);

/** A list is replaced as a whole, so only as it was read. */
function setFinalizers(
  { api }: ProviderPlace,
  { metadata: { name, namespace, resourceVersion, uid } }: ProviderObject,
  finalizers: readonly string[],
  signal?: AbortSignal,
): Promise<Result<ProviderObject>> {
  const patch = { metadata: { resourceVersion, uid, finalizers: [...finalizers] } };
  return api.mergePatch<ProviderObject>(machineKinds.provider, { name, namespace }, patch, {}, signal);
}
