/**
 * The door: TCP connections, and TLS with a client certificate where that is required. A connection that is refused here costs nobody else
 * anything, and is logged once. The certificates are read again while the server runs.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { isAllowed } from './peer-names.ts';
import { readTls, type TlsMaterial, type TlsMode } from './tls-settings.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  tls: TlsMode;
  /** Names of clients; empty: every certificate of the authority is enough. */
  allowedNames: readonly string[];
  log: Log;
  /** Who may call. */
  accept(socket: Socket): void;
  /** Who has a certificate of the authority and is not among the allowed names: every call is denied. */
  deny(socket: Socket): void;
}

export interface Listener {
  readonly port: number;
  /** Takes new certificates from the same folder; the previous ones stay in use while the new ones are unusable. */
  reload(): void;
  close(): void;
}

const handshakeMs = 10_000;
const mostConnections = 1000;

export async function listen(options: ListenerOptions): Promise<Result<Listener>> {
  const opened = options.tls.kind === 'plain' ? ok(plainServer(options)) : tlsServer(options, options.tls.directory);
  if (!opened.ok) return opened;
  const { server, reload } = opened.value;
  server.maxConnections = mostConnections;
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another process uses it; pass another --port' : error.message;
      resolve(failed('unavailable', `cannot listen on ${options.host}:${options.port}: ${why}`));
    });
    server.listen(options.port, options.host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : options.port;
      resolve(ok({ port, reload, close: () => void server.close() }));
    });
  });
}

function plainServer({ accept }: ListenerOptions): { server: Server; reload(): void } {
  return { server: createServer(accept), reload: () => undefined };
}

function tlsServer(options: ListenerOptions, directory: string): Result<{ server: TlsServer; reload(): void }> {
  const material = readTls(directory);
  if (!material.ok) return material;
  const settings = { minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: true } as const;
  let current = material.value;
  const refused = (reason: string, socket: Socket | TLSSocket): void =>
    options.log.write('provider-server.connection.refused', { reason, peer: socket.remoteAddress ?? 'unknown' });
  let server: TlsServer;
  try {
    server = createTlsServer({ ...settings, ...current, ALPNProtocols: ['h2'], handshakeTimeout: handshakeMs });
  } catch (error) {
    return failed('invalid', `${directory}: ${error instanceof Error ? error.message : String(error)}`);
  }
  server.on('secureConnection', (socket) => {
    if (isAllowed(socket.getPeerCertificate(), options.allowedNames)) return options.accept(socket);
    refused('its certificate has none of the allowed names', socket);
    return options.deny(socket);
  });
  server.on('tlsClientError', (error, socket) => {
    refused(error.message, socket);
    socket.destroy();
  });
  const reload = (): void => {
    const next = readTls(directory);
    if (next.ok && same(next.value, current)) return;
    try {
      if (!next.ok) throw new Error(next.error.message);
      server.setSecureContext({ ...settings, ...next.value });
      current = next.value;
      options.log.write('provider-server.certificates.reloaded', { directory });
    } catch (error) {
      options.log.write('provider-server.certificates.unusable', {
        directory,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  };
  return ok({ server, reload });
}

const same = (one: TlsMaterial, other: TlsMaterial): boolean =>
  one.cert.equals(other.cert) && one.key.equals(other.key) && one.ca.equals(other.ca);
