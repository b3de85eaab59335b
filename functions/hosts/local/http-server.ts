/** Serves the HTTP functions on this machine, with TLS where certificate and key are named. */
import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { serve } from '@hono/node-server';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { isForLoopback, isLoopback } from '../../../shared/net/loopback.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { HttpFunctions } from '../../http/app.ts';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface TlsFiles {
  certFile: string;
  keyFile: string;
  /** Whose signature makes a client certificate count. */
  clientCaFile?: string | undefined;
}

export interface HttpAddress {
  host: string;
  port: number;
  tls?: TlsFiles | undefined;
}

/** Certificates are renewed by somebody else, who does not tell us. */
const lookAtFilesMs = 30_000;

/** A question about a provider may take half a minute; whoever stops the host does not wait so long for its answer. */
const defaultGraceMs = 3000;

export async function serveHttp(
  app: HttpFunctions,
  at: HttpAddress,
  log: Log,
  graceMs = defaultGraceMs,
): Promise<Result<HttpServer>> {
  const { host, port, tls } = at;
  const read = tls === undefined ? undefined : readTls(tls);
  if (read && !read.ok) return read;
  return new Promise((resolve) => {
    const options = {
      fetch: (request: Request, env: NodeEnv) => guarded(app, host, request, env),
      hostname: host,
      port,
    };
    const how =
      read === undefined ? options : { ...options, createServer: createServer, serverOptions: { ...read.value } };
    let stopLooking = (): void => undefined;
    const server = serve(how, (address) => {
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      const url = `${tls === undefined ? 'http' : 'https'}://${name}:${address.port}`;
      if (tls !== undefined && 'setSecureContext' in server) stopLooking = renew(server, tls, log);
      resolve(
        ok({
          url,
          close: () =>
            new Promise((closed) => {
              stopLooking();
              // The signals of the requests fire, so that what they began ends too.
              const grace = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), graceMs);
              server.close(() => {
                clearTimeout(grace);
                closed();
              });
              if ('closeIdleConnections' in server) server.closeIdleConnections();
            }),
        }),
      );
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `port ${port} on ${host} is in use: stop the process that uses it, or set another port in http.port`
          : `can't listen on ${host}:${port}: ${error.message}`;
      resolve(failed('unavailable', why));
    });
  });
}

function readTls({ certFile, keyFile, clientCaFile }: TlsFiles) {
  const texts: Record<string, string> = {};
  for (const [field, file] of Object.entries({ certFile, keyFile, clientCaFile })) {
    if (file === undefined) continue;
    try {
      texts[field] = readFileSync(file, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      return failed('invalid', `http.tls.${field}: ${file} can't be read (${code})`);
    }
  }
  const { certFile: cert = '', keyFile: key = '', clientCaFile: ca } = texts;
  // A client without a certificate may still show a token, so its absence refuses nobody here.
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: false };
  return ok({ cert, key, ...clients });
}

/** Takes new files into use for new connections. What can't be used is said, and the old ones stay. */
function renew(server: Pick<Server, 'setSecureContext'>, tls: TlsFiles, log: Log): () => void {
  const mark = (): string =>
    [tls.certFile, tls.keyFile, tls.clientCaFile]
      .map((file) => (file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })))
      .map((found) => `${found?.mtimeMs}/${found?.size}/${found?.ino}`)
      .join(' ');
  let seen = mark();
  const timer = setInterval(() => {
    const now = mark();
    if (now === seen) return;
    seen = now;
    const read = readTls(tls);
    try {
      if (!read.ok) throw new Error(read.error.message);
      server.setSecureContext(read.value);
    } catch (error) {
      log.write('http.certificate.unusable', { error });
    }
  }, lookAtFilesMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** What the adapter gives along with each request. */
type NodeEnv = { incoming: IncomingMessage | Http2ServerRequest };

/** A web page whose name was made to point here still names itself in Host: it is refused (DNS rebinding). */
function guarded(
  app: HttpFunctions,
  host: string,
  request: Request,
  { incoming }: NodeEnv,
): Response | Promise<Response> {
  if (isLoopback(host) && !isForLoopback(incoming, host)) {
    return Response.json({ status: 403, title: 'this host serves loopback only' }, { status: 403 });
  }
  return app.fetch(request, { certificateNames: namesOf(incoming.socket) });
}

/** Common name and DNS names of a client certificate that our authority has signed. */
function namesOf(socket: unknown): string[] {
  if (!isTls(socket) || !socket.authorized) return [];
  const { subject, subjectaltname = '' } = socket.getPeerCertificate();
  const common = subject?.CN;
  const alternative = subjectaltname
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
  return [...(typeof common === 'string' ? [common] : []), ...alternative];
}

const isTls = (socket: unknown): socket is TLSSocket =>
  typeof socket === 'object' && socket !== null && 'authorized' in socket && 'getPeerCertificate' in socket;
