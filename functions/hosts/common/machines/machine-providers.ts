/** What looking after Providers of virtual machines needs, on every host. */
import type { Config } from '../../../../shared/config/load.ts';
import { openChannel } from '../../../../shared/drivers/grpc/channel.ts';
import {
  type Certifier,
  emptyMemory,
  type MachineProviders,
  type ProviderServices,
} from '../../../../shared/machines/runtime/services.ts';
import { issueCertificate, makeAuthority } from '../../../../shared/net/certificates/certificates.ts';
import type { FunctionServices } from '../../../declaration.ts';

export const certifier: Certifier = {
  authority: (commonName, validity) => makeAuthority({ commonName }, validity),
  issue: issueCertificate,
};

export const openProvider: ProviderServices['open'] = ({ address, serverName, tls }) =>
  openChannel({ address, serverName, ...(tls ? { tls: { pem: tls } } : {}) });

/** @param services Of the functions: clusters may come and go. */
export function machineProvidersOf(
  config: Config,
  { clock, log, cluster }: Pick<FunctionServices, 'clock' | 'log' | 'cluster'>,
): MachineProviders {
  return {
    services: { clock, log, certifier, memory: emptyMemory(), open: openProvider },
    place: (name) => {
      const api = cluster(name)?.api;
      const { settings, machineProviders } = config.clusters[name] ?? {};
      if (api === undefined || settings === undefined || machineProviders === undefined) return;
      return { name, api, namespace: settings.namespace };
    },
  };
}
