/**
 * What gpu-provisioner's environment says: its variables keep their names, and where no provider is configured they make
 * one. The values themselves are read by the provider.
 */
import type { Environment } from './environment.ts';

export interface SeedEnvironment {
  problem?: string;
  /** The provider that is meant when none is configured. */
  implied?: 'aks' | 'arc';
}

export function seedEnvironment(env: Environment): SeedEnvironment {
  const type = env.AZURE_PROVIDER_TYPE || 'aks';
  if (type !== 'aks' && type !== 'arc') return { problem: `invalid provider type: ${type}, must be 'aks' or 'arc'` };
  return env.ARM_SUBSCRIPTION_ID || env.AZURE_PROVIDER_TYPE ? { implied: type } : {};
}
