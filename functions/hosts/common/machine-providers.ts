/** What looking after Providers of virtual machines needs, on every host. */
import type { Clock } from '../../../shared/base/runtime.ts';
import { openChannel } from '../../../shared/drivers/grpc/channel.ts';
import { type Certifier, emptyMemory, type ProviderServices } from '../../../shared/machines/runtime/services.ts';
import { issueCertificate, makeAuthority } from '../../../shared/net/certificates/certificates.ts';
import type { Log } from '../../../shared/observe/log/log.ts';

export const certifier: Certifier = {
  authority: (commonName, validity) => makeAuthority({ commonName }, validity),
  issue: issueCertificate,
};

export const openProvider: ProviderServices['open'] = ({ address, serverName, tls }) =>
  openChannel({ address, serverName, ...(tls ? { tls: { pem: tls } } : {}) });

export const providerServices = ({ clock, log }: { clock: Clock; log: Log }): ProviderServices => ({
  clock,
  log,
  certifier,
  memory: emptyMemory(),
  open: openProvider,
});
