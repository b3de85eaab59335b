/** What looking after Providers needs. A host builds it; tests build it from stand-ins and a manual clock. */
import type { Clock } from '../../base/runtime.ts';
import type { Channel } from '../../drivers/grpc/channel.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { Log } from '../../observe/log/log.ts';

export interface KeyAndCertificate {
  /** PEM, both. */
  key: string;
  cert: string;
}

/** Makes certificates; in milliseconds since the epoch. */
export interface Certifier {
  authority(commonName: string, validity: { from: number; to: number }): KeyAndCertificate;
  issue(
    authority: KeyAndCertificate,
    names: { commonName: string; dns: readonly string[] },
    validity: { from: number; to: number },
  ): KeyAndCertificate;
}

export interface ProviderTls {
  ca: string;
  cert: string;
  key: string;
  /** Whatever certificate the provider shows: its author wants it so. */
  anyServer?: boolean;
}

/** A cluster with Providers. */
export interface ProviderPlace {
  readonly name: string;
  readonly api: ClusterApi;
  /** Where our authority is kept. */
  readonly namespace: string;
}

export interface ProviderServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly certifier: Certifier;
  /** Opens a channel to `host:port`. Absent `tls`: plaintext. */
  open(options: { address: string; serverName: string; tls?: ProviderTls }): Channel;
  /** What this process remembers; it may all be lost. */
  readonly memory: ProviderMemory;
}

export interface ProviderMemory {
  /** By uid: what was last applied, and when. */
  readonly applied: Map<string, { what: string; at: number }>;
  /** By cluster: the certificate that we call with. */
  readonly clients: Map<string, { authority: string; tls: ProviderTls; until: number }>;
}

export const emptyMemory = (): ProviderMemory => ({ applied: new Map(), clients: new Map() });

export interface MachineProviders {
  readonly services: ProviderServices;
  /** Absent where this process has no part in it. */
  place(cluster: string): ProviderPlace | undefined;
}
