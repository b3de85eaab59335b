/** Asks a provider whether it and its hypervisor answer, and what it can do; and says what is wrong in codes. */
import type { Channel } from '../../drivers/grpc/channel.ts';
import { code, type ServerSaid } from '../../drivers/grpc/status.ts';
import type { GetCapabilitiesResponse } from '../../drivers/protocol/messages.ts';
import type { ProviderProblem } from './problems.ts';

export interface Probed {
  problem?: ProviderProblem;
  /** Absent: the server does not say. */
  capabilities?: GetCapabilitiesResponse;
}

export async function probe(channel: Channel, seconds: number, signal: AbortSignal): Promise<Probed> {
  const valid = await channel.call('Validate', {}, { seconds, signal });
  if (!valid.ok) return { problem: problemOf(valid.said) };
  const capabilities = await capabilitiesOf(channel, seconds, signal);
  const found = capabilities === undefined ? {} : { capabilities };
  if (valid.value.ok) return found;
  return { ...found, problem: { code: 'HypervisorUnavailable', message: shown(valid.value.message) } };
}

/** Servers of the design's first words answer under another name. */
async function capabilitiesOf(
  channel: Channel,
  seconds: number,
  signal: AbortSignal,
): Promise<GetCapabilitiesResponse | undefined> {
  for (const name of ['GetCapabilities', 'ListCapabilities'] as const) {
    const answer = await channel.call(name, {}, { seconds, signal });
    if (answer.ok) return answer.value;
    if (answer.said.code !== code.unimplemented) return;
  }
  return;
}

const certificate =
  /unable to (verify|get)|self.signed certificate|certificate has expired|altnames|CERT_|TLS handshake|\balert\b|ERR_TLS|ERR_SSL/i;
const notTls = /wrong version number|packet length too long|EPROTO/i;
const protocol = /HTTP status code|Received HTTP|protocol error|ERR_HTTP2|Parse Error|content-type/i;

/** What a call ran into: the way there, the certificates, something that does not speak the protocol, or the provider itself. */
export function problemOf({ code: sent, details }: ServerSaid): ProviderProblem {
  const message = shown(details || `code ${sent}`);
  if (sent === code.unimplemented || notTls.test(details) || protocol.test(details)) {
    return { code: 'ProviderProtocolUnknown', message };
  }
  if (certificate.test(details) || sent === code.unauthenticated || sent === code.permissionDenied) {
    return { code: 'ProviderCertificateMismatch', message };
  }
  if (sent === code.unavailable || sent === code.deadlineExceeded) return { code: 'ProviderUnreachable', message };
  return { code: 'HypervisorUnavailable', message };
}

const shown = (text: string): string => text.slice(0, 400);
