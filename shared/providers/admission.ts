/** The rules of node classes for the webhook, loaded when one of the kind comes. */
import type { NodeClassAdmission, ProviderManifest } from './manifest.ts';
import { manifests } from './manifests.ts';

/** Undefined: the definition of the kind says all that there is to say. */
export async function admissionOf(group: string, plural: string): Promise<NodeClassAdmission | undefined> {
  const manifest = (manifests as readonly ProviderManifest[]).find(
    (one) =>
      one.admission !== undefined && one.nodeClasses.some((kind) => kind.group === group && kind.plural === plural),
  );
  return (await manifest?.admission?.())?.admission;
}
