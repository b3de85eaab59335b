/** A provider server at an address of the configuration. */
import { defined } from '../../../../shared/base/defined.ts';
import { failedBy } from '../../../../shared/base/problems.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { MachineServerConfig } from '../../../../shared/config/machine-places.ts';
import type { ConnectionOptions } from '../../../../shared/drivers/grpc/connect.ts';
import { addressOf } from '../../../../shared/drivers/grpc/endpoint.ts';

export type Reached = Omit<ConnectionOptions, 'name' | 'type' | 'rate'>;

/** Without an authority, plaintext: the configuration has checked that this is what was meant. */
export function configuredServer({
  endpoint,
  caFile,
  certFile,
  keyFile,
  serverName,
  tokenFile,
}: MachineServerConfig): Result<Reached> {
  const address = addressOf(endpoint);
  if (address === undefined) {
    return failedBy([{ path: 'endpoint', message: 'must be host:port, or a URL with a host and a port' }]);
  }
  const tls = caFile === undefined ? undefined : { ca: caFile, ...defined({ cert: certFile, key: keyFile }) };
  return ok({ address, ...defined({ tls, serverName, tokenFile }) });
}
