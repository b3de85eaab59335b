/** The connections of one HTTP client: kept-alive ones for requests, one of its own for each stream. */

import type http from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { defined } from '../base/defined.ts';
import { nodeHttp, nodeHttps, nodeTls } from '../base/node-modules.ts';
import { openTunnel } from './http-proxy.ts';

/** PEM texts: whom to trust, and who we are. */
export interface TlsIdentity {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, where it is not the one in the URL. */
  readonly serverName?: string;
  /** Trust anybody who answers. Only for those who said so in as many words. */
  readonly insecure?: boolean;
}

export interface HttpAgents {
  readonly kept: http.Agent;
  readonly own: http.Agent;
  /** What runs goes on; nothing is kept for a further request. */
  retire(): void;
  destroy(): void;
}

export interface AgentOptions {
  secure: boolean;
  maxSockets: number;
  connectTimeoutMs: number;
  tls: TlsIdentity;
  proxy: URL | undefined;
}

/** Throws when a PEM text is none. */
export function createAgents(options: AgentOptions): HttpAgents {
  const { secure, maxSockets, tls } = options;
  // Read once here: an agent that was given texts would parse them again for every connection.
  const trust = {
    ...(secure ? { secureContext: secureContextOf(tls) } : {}),
    ...defined({ servername: tls.serverName }),
    ...(tls.insecure === true ? { rejectUnauthorized: false } : {}),
  };
  const make = (how: http.AgentOptions): http.Agent => {
    const agent = secure ? new (nodeHttps().Agent)({ ...how, ...trust }) : new (nodeHttp().Agent)(how);
    if (options.proxy !== undefined) tunnelThrough(agent, options.proxy, options, trust);
    return agent;
  };
  const kept = make({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets });
  const own = make({ keepAlive: false });
  return {
    kept,
    own,
    retire: () => {
      kept.maxFreeSockets = 0;
      for (const sockets of Object.values(kept.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
    destroy: () => {
      kept.destroy();
      own.destroy();
    },
  };
}

function secureContextOf({ ca, cert, key }: TlsIdentity): SecureContext {
  return nodeTls().createSecureContext(defined({ ca, cert, key }));
}

/** The socket is handed over when it can carry a request, so that one which was never given away has sent nothing. */
function tunnelThrough(
  agent: http.Agent,
  proxy: URL,
  { secure, connectTimeoutMs }: AgentOptions,
  trust: ConnectionOptions,
): void {
  agent.createConnection = (options, callback) => {
    // Node hands over a socket or an error; its type knows the socket only.
    const done = callback as ((error: Error | null, socket?: Duplex) => void) | undefined;
    const host = options.host ?? 'localhost';
    const port = Number(options.port ?? (secure ? 443 : 80));
    openTunnel(proxy, { host, port }, connectTimeoutMs, (error, socket) => {
      if (error !== null || socket === undefined || !secure) return done?.(error, socket);
      const wrapped = nodeTls().connect({ servername: isIP(host) === 0 ? host : '', ...trust, host, socket });
      const timer = setTimeout(
        () => wrapped.destroy(new Error(`no TLS connection within ${connectTimeoutMs} ms`)),
        connectTimeoutMs,
      );
      const fail = (reason: Error): void => {
        clearTimeout(timer);
        done?.(reason);
      };
      wrapped.once('error', fail);
      wrapped.once('secureConnect', () => {
        clearTimeout(timer);
        wrapped.off('error', fail);
        done?.(null, wrapped);
      });
    });
    return undefined;
  };
}
