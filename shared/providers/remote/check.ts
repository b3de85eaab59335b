/** Whether each provider server can be reached, speaks the protocol, reaches its hypervisor, and what it can do. It only reads. */
import type { Check } from '../../base/checks.ts';
import type { Failure } from '../../base/result.ts';
import { notSupported } from '../../drivers/contract.ts';
import { wayCodes } from '../../drivers/grpc/status.ts';
import { foundLacking, foundWrong, passed } from '../findings.ts';
import { named, type Servers } from './servers/servers.ts';

const repairs: Readonly<Record<string, string>> = {
  [wayCodes.tls]:
    'check the certificates of both sides: the authority, the names in the certificate, and tls.serverName',
  [wayCodes.notProvider]: 'correct the endpoint: it must be the gRPC port of a provider server',
};

export async function checkRemote(servers: Servers, signal: AbortSignal): Promise<Check[]> {
  return (await Promise.all(servers.names.map((server) => checkServer(servers, server, signal)))).flat();
}

async function checkServer(servers: Servers, server: string, signal: AbortSignal): Promise<Check[]> {
  const driver = servers.driver(server);
  if (!driver.ok) return [wrong(`credentials ${server}`, driver.error)];
  if (signal.aborted) return [wrong(`credentials ${server}`, stopped)];
  const [valid, listed, capabilities] = await Promise.all([
    driver.value.validate(signal),
    driver.value.list(signal),
    driver.value.capabilities(signal),
  ]);
  const where = servers.addressOf(server);
  const checks: Check[] = [
    valid.ok
      ? passed(`credentials ${server}`, `${where} serves us, and reaches its hypervisor`)
      : wrong(`credentials ${server}`, inServer(server, valid.error)),
    listed.ok
      ? passed(`machines ${server}`, `${listed.value.length} machines`)
      : wrong(`machines ${server}`, inServer(server, listed.error)),
  ];
  if (capabilities.ok) {
    const { keepsTags, createsByName } = capabilities.value;
    const kind = keepsTags && createsByName ? 'a server of Poolwright' : 'a server that keeps no tags that we know of';
    checks.push(passed(`capabilities ${server}`, `${kind}; ownership is in ${keepsTags ? 'tags and names' : 'names'}`));
  } else if (capabilities.error.code === notSupported) {
    const repair = 'update the server; until then nothing that depends on a capability is offered';
    checks.push(foundLacking(`capabilities ${server}`, capabilities.error, repair));
  }
  if (servers.isPlaintext(server)) {
    checks.push({
      name: `TLS ${server}`,
      state: 'warn',
      message: `${where} is called in plaintext: anyone on the way can read and change calls`,
      code: 'ProviderPlaintext',
      repair: 'give the server certificates, and set tls',
    });
  }
  return checks;
}

const stopped: Failure = { kind: 'unavailable', message: 'the check was stopped before it was sent' };

function inServer(server: string, error: Failure): Failure {
  const told = named(server, error);
  return told.ok ? error : told.error;
}

function wrong(name: string, failure: Failure): Check {
  const repair = repairs[failure.reason ?? ''] ?? 'check the endpoint, the network, and the log of the provider server';
  const check = foundWrong(name, failure, repair);
  return failure.reason === undefined ? check : { ...check, code: failure.reason };
}
