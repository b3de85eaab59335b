/**
 * The way through an HTTP proxy: which one to take, as curl and kubectl decide it, and the tunnel (CONNECT) that leads to the
 * server. TLS runs inside the tunnel, so the proxy sees host and port, and no credential of ours.
 */

import { BlockList, isIP, type Socket } from 'node:net';
import type { Environment } from '../base/environment.ts';
import { nodeHttp, nodeHttps } from '../base/node-modules.ts';
import { isLoopback } from './loopback.ts';

/** What the environment says for this server; undefined means no proxy. Loopback never goes through one. */
export function proxyFromEnvironment(target: URL, env: Environment): string | undefined {
  const host = hostOf(target);
  if (isLoopback(host)) return undefined;
  const names = target.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const proxy = names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  if (proxy === undefined || isExempt(target, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Why this proxy can't be used, or undefined. The text holds no credentials. */
export function proxyProblem(proxy: string): string | undefined {
  if (!URL.canParse(proxy)) return 'is no URL; it must look like http://proxy.example:3128';
  const { protocol } = new URL(proxy);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `uses ${protocol}//, which is not supported; give an http:// or https:// proxy that allows CONNECT`;
}

/** `example.org` and `.example.org` mean the domain and what is below it; addresses, ranges and ports work as well. */
function isExempt(target: URL, list: string): boolean {
  const host = hostOf(target);
  const port = portOf(target);
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      if (entry.includes('/')) return isWithin(host, entry);
      const [, name = entry, wantedPort] =
        /^\[?(.+?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      if (wantedPort !== undefined && Number(wantedPort) !== port) return false;
      const domain = name.replace(/^\*?\./, '').toLowerCase();
      return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
    });
}

function isWithin(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), kind);
  return list.check(host, kind);
}

/** The failure of a tunnel that could not be made; nothing of the request itself has left. */
export class ProxyError extends Error {
  readonly code = 'PROXY';
}

/** Opens a tunnel and calls back with its socket, or with the reason why there is none. */
export function openTunnel(
  proxy: URL,
  target: { host: string; port: number },
  timeoutMs: number,
  done: (error: Error | null, socket?: Socket) => void,
): void {
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(user).toString('base64')}`;
  }
  const request = (proxy.protocol === 'https:' ? nodeHttps() : nodeHttp()).request({
    method: 'CONNECT',
    hostname: hostOf(proxy),
    port: portOf(proxy),
    path: authority,
    headers,
    agent: false,
  });
  const timer = setTimeout(() => request.destroy(new Error(`no tunnel within ${timeoutMs} ms`)), timeoutMs);
  const fail = (reason: string): void => {
    clearTimeout(timer);
    done(new ProxyError(`the proxy ${proxy.host}: ${reason}`));
  };
  request.on('error', (error) => fail(error.message === '' ? 'it does not answer' : error.message));
  // A proxy that answers CONNECT like any other request has not understood it.
  request.on('response', (response) => {
    response.resume();
    fail(`it answers ${response.statusCode} instead of opening a tunnel`);
    request.destroy();
  });
  request.on('connect', (response, socket, head) => {
    clearTimeout(timer);
    if (response.statusCode !== 200) {
      socket.destroy();
      const hint = response.statusCode === 407 ? ' (it wants a user and a password in its URL)' : '';
      return fail(`it refuses ${authority} with ${response.statusCode}${hint}`);
    }
    if (head.length > 0) socket.unshift(head);
    done(null, socket as Socket);
  });
  request.end();
}

function hostOf(url: URL): string {
  // URL keeps the brackets of an IPv6 address, the resolver does not want them.
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
