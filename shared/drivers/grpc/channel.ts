/** Calls over gRPC: TLS, a token, a deadline for each call, keep-alive, and calls spread over all addresses of the server. */
import { readFileSync } from 'node:fs';
import * as grpc from '@grpc/grpc-js';
import { defined } from '../../base/defined.ts';
import type { Result } from '../../base/result.ts';
import { type CallName, providerService, type RequestOf, type ResponseOf } from '../protocol/service.ts';
import { kindKey, retryAfterKey, type ServerSaid } from './status.ts';

/** Files that are read again when they change. */
export interface TlsFiles {
  ca: string;
  cert?: string;
  key?: string;
}

/** The texts themselves; without an authority, the public ones. */
export interface TlsPem {
  pem: { ca?: string; cert?: string; key?: string /** Whatever certificate the server shows. */; anyServer?: boolean };
}

export interface ChannelOptions {
  /** `host:port`; a name with several addresses gets calls on each of them. */
  address: string;
  /** Absent: plain text. */
  tls?: TlsFiles | TlsPem;
  /** The name in the server's certificate, where it is not that of the address. */
  serverName?: string;
  /** Read before each call, so a token may be renewed. */
  token?(): Promise<Result<string>>;
}

/** What became of one call: the answer, or what the server or the way there said. */
export type Answered<C extends CallName> =
  | { ok: true; value: ResponseOf<C> }
  | { ok: false; said: ServerSaid; abandoned: boolean };

export interface Channel {
  call<C extends CallName>(
    call: C,
    request: Partial<RequestOf<C>>,
    options: { seconds: number; signal: AbortSignal; correlationId?: string },
  ): Promise<Answered<C>>;
  close(): void;
}

/** One message: user data of some megabytes, with room to spare. */
export const mostMessageBytes = 16 * 2 ** 20;
const reloadMs = 30_000;

export function openChannel(options: ChannelOptions): Channel {
  const credentials = options.tls ? certificates(options.tls) : grpc.credentials.createInsecure();
  const client = new grpc.Client(target(options.address), credentials, {
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.max_receive_message_length': mostMessageBytes,
    'grpc.max_send_message_length': mostMessageBytes,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    // Retries are ours: the library knows nothing of what a repeat may cost.
    'grpc.enable_retries': 0,
    ...(options.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': options.serverName }),
  });
  return {
    call: async (name, request, { seconds, signal, correlationId }) => {
      const metadata = new grpc.Metadata();
      if (correlationId !== undefined) metadata.set('x-correlation-id', correlationId);
      if (options.token !== undefined) {
        const token = await options.token();
        if (!token.ok) return { ok: false, said: { code: 16, details: token.error.message }, abandoned: false };
        metadata.set('authorization', `Bearer ${token.value}`);
      }
      return unary(client, name, request, metadata, seconds, signal);
    },
    close: () => client.close(),
  };
}

/** All addresses behind a name, not the first one alone. */
const target = (address: string): string => (/^(dns|ipv4|ipv6|unix):/.test(address) ? address : `dns:///${address}`);

function unary<C extends CallName>(
  client: grpc.Client,
  name: C,
  request: Partial<RequestOf<C>>,
  metadata: grpc.Metadata,
  seconds: number,
  signal: AbortSignal,
): Promise<Answered<C>> {
  const { path, requestSerialize, responseDeserialize } = providerService[name];
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ ok: false, said: { code: 1, details: 'the caller gave up' }, abandoned: true });
      return;
    }
    const stop = (): void => call.cancel();
    const call = client.makeUnaryRequest<Partial<RequestOf<C>>, ResponseOf<C>>(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline: Date.now() + seconds * 1000 },
      (error, value) => {
        signal.removeEventListener('abort', stop);
        if (error === null && value !== undefined) resolve({ ok: true, value });
        else resolve({ ok: false, said: saidBy(error), abandoned: signal.aborted });
      },
    );
    signal.addEventListener('abort', stop, { once: true });
  });
}

function saidBy(error: grpc.ServiceError | null): ServerSaid {
  if (error === null) return { code: 13, details: 'the server sent no answer' };
  const kind = error.metadata?.get(kindKey)[0]?.toString();
  const seconds = Number(error.metadata?.get(retryAfterKey)[0]);
  return {
    code: error.code,
    details: error.details,
    ...defined({ kind, retryAfterSeconds: seconds > 0 ? seconds : undefined }),
  };
}

function certificates(tls: TlsFiles | TlsPem): grpc.ChannelCredentials {
  if ('pem' in tls) {
    const bytes = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
    const verify = tls.pem.anyServer ? { rejectUnauthorized: false, checkServerIdentity: () => undefined } : {};
    return grpc.credentials.createSsl(bytes(tls.pem.ca), bytes(tls.pem.key), bytes(tls.pem.cert), verify);
  }
  const { ca, cert, key } = tls;
  // A wrong path is an error now, not at the first call.
  for (const file of [ca, cert, key]) if (file !== undefined) readFileSync(file);
  const identity = cert === undefined || key === undefined ? {} : { certificateFile: cert, privateKeyFile: key };
  const files = new grpc.experimental.FileWatcherCertificateProvider({
    caCertificateFile: ca,
    ...identity,
    refreshIntervalMs: reloadMs,
  });
  return grpc.experimental.createCertificateProviderChannelCredentials(files, cert === undefined ? null : files);
}
