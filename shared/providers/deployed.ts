/** The providers that cloud hosts deploy a provisioning function for: all but the simulated cloud. */
import type { ProviderManifest } from './manifest.ts';
import { manifests } from './manifests.ts';

export const deployedProviders: readonly ProviderManifest[] = (manifests as readonly ProviderManifest[]).filter(
  ({ simulated }) => !simulated,
);

/** `provision-aks`: the function that acts for a provider, on every host. */
export const provisionerName = (type: string): string => `provision-${type}`;
