/** The subscription that a simulated management cluster makes clusters in, as a host asks it for prices, quotas, sizes and names. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../shared/config/load.ts';
import { startArm } from '../arm/arm.ts';
import { offeredLocations, offeredVersions } from '../arm/offers.ts';
import { pricesPath } from '../arm/server.ts';
import type { Aso } from '../aso/aso.ts';
import type { AsoSettingsInput } from '../aso/settings.ts';

/** Settings of the operator's Azure with which it refuses what this subscription does not offer. */
export const offered = {
  locations: [...offeredLocations],
  versions: Object.keys(offeredVersions),
} satisfies AsoSettingsInput;

export interface Subscription {
  /** For the configuration. */
  readonly provider: NonNullable<ConfigInput['providers']>[string];
  close(): Promise<void>;
}

export async function startSubscription({ azure, clusters }: Aso, directory: string): Promise<Subscription> {
  const arm = await startArm({ world: { azure, clusters }, settings: offered });
  const secretFile = join(directory, 'azure-secret');
  writeFileSync(`${secretFile}.new`, arm.secret, { mode: 0o600 });
  renameSync(`${secretFile}.new`, secretFile);
  return {
    provider: {
      type: 'aks',
      subscription: arm.subscription,
      // Of requests, each has its own; these are only what the type demands.
      resourceGroup: 'none',
      clusterName: 'none',
      location: offeredLocations[0],
      tenant: arm.tenant,
      credential: { type: 'client-secret', clientId: arm.clientId, secretFile },
      cloud: { authorityHost: arm.url, armEndpoint: arm.url, pricesUrl: `${arm.url}${pricesPath}` },
      certificateAuthority: arm.certificate,
    },
    close: () => arm.close(),
  };
}
