/** What is wrong with a provider server, or with what a node class asks of it. */
import type { ErrorGroup } from './entry.ts';

const about = 'NodeClaim, node class';

export const providerServers = {
  ProviderServerNotFound: {
    cause: 'The node class or the machine names a provider server that the configuration does not have.',
    cure: 'Correct `provider` of the node class, or add the server to `servers` of the provider.',
    more: 'A server stays in the configuration until its last machine is gone: without it the host cannot see these machines, and does nothing about them.',
    seen: ['condition', 'event'],
    about,
  },
  ProviderCapabilityMissing: {
    cause: 'The provider server cannot do what the node class asks for; the message names the capability.',
    cure: 'Change the field that the message names, or use another server.',
    seen: ['condition', 'event'],
    about,
  },
  ProviderTlsRefused: {
    cause: 'The certificates of the host and of the provider server do not match, or cannot be read.',
    cure: 'Check the authority and the names in both certificates, and `tls` of the server in the configuration.',
    more: 'Certificates in files are read again when they change, so a corrected one is used within a minute.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  NotAProviderServer: {
    cause: 'Something that does not speak the protocol of provider servers answers at the endpoint.',
    cure: 'Correct the endpoint: it is the gRPC port of the server, not that of its metrics or of the hypervisor.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  ProviderPlaintext: {
    cause: 'The host calls a provider server without TLS.',
    cure: 'Give the server certificates, and set `tls` of the server in the configuration.',
    more: 'Anyone on the way can then read user data with join secrets, and can delete machines. On one machine, or behind a service mesh that encrypts, this may be intended.',
    seen: ['check'],
  },
} as const satisfies ErrorGroup;
