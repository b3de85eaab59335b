/** The HTTP API of a host, as other commands use it: of the one on this machine, or of one that is named by its URL. */

import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { rememberSecret } from '../../shared/base/secrets/known-secrets.ts';
import {
  createHttpClient,
  type HttpFailure,
  type HttpMethod,
  type HttpQuery,
  type HttpResponse,
} from '../../shared/net/http-client.ts';
import { isLoopback } from '../../shared/net/loopback.ts';
import { codeOfKind } from '../../shared/observe/errors/code-of-kind.ts';
import { UserError } from '../terminal/user-error.ts';
import { version } from '../version.ts';
import { rememberedTokenFile, rememberedUrl } from './remembered-host.ts';

export interface HostApi {
  /** The body of a good answer; anything else is thrown as what the user can do about it. */
  ask<T>(method: HttpMethod, path: string, more?: { query?: HttpQuery; body?: Json }): Promise<T>;
  /** The same for an answer that is no JSON, such as metrics. */
  text(path: string): Promise<string>;
  close(): void;
}

const timeoutMs = 30_000;
const trusting = { insecure: true };

/** Which host: by the directory in which it runs, or by URL and token. */
export interface HostAddress {
  dataDir: string;
  url?: string;
  tokenFile?: string;
  /** Certificate authorities to trust besides the usual ones, for `url`. */
  caFile?: string;
}

interface Found {
  url: string;
  token: string;
  /** PEM. */
  ca?: string;
  /** What to do when it does not answer. */
  advice: string;
}

export function openHostApi(address: HostAddress): HostApi {
  const { url, token, ca, advice } = address.url === undefined ? hostIn(address) : hostAt(address.url, address);
  rememberSecret(token);
  const client = createHttpClient({
    baseUrl: url,
    userAgent: `poolwright/${version}`,
    token: () => token,
    // Its certificate is for the name that others call it by; on this machine we know it by the file that only it can write.
    ...(ca !== undefined ? { ca } : isThisMachine(new URL(url).hostname) ? { tls: () => trusting } : {}),
  });
  const good = async (
    method: HttpMethod,
    path: string,
    more: { query?: HttpQuery; body?: Json },
  ): Promise<HttpResponse> => {
    const answer = await client.request({ method, path, timeoutMs, ...more });
    if (!answer.ok) {
      throw new UserError(unreachable(url, answer, advice), { code: 'HostUnreachable' });
    }
    if (answer.status < 300) return answer;
    throw (
      problemIn(answer.json()) ??
      new UserError(`The host at ${url} answered with ${answer.status}.`, { code: 'UnexpectedAnswer' })
    );
  };
  return {
    ask: async <T>(method: HttpMethod, path: string, more: { query?: HttpQuery; body?: Json } = {}) =>
      (await good(method, path, more)).json() as T,
    text: async (path) => (await good('GET', path, {})).text,
    close: () => client.close(),
  };
}

/** Only a refused connection says that nothing runs there; any other failure has a reason of its own. */
function unreachable(url: string, answer: HttpFailure, advice: string): string {
  if (answer.sent) return `The host at ${url} did not answer: ${answer.message}`;
  const { code = '' } = answer;
  if (code === 'ECONNREFUSED') return `The host at ${url} is not running. ${advice}`;
  const reached = `The host at ${url} could not be reached: ${answer.message}.`;
  if (untrusted.has(code)) {
    return `${reached} If you trust the authority that issued its certificate, pass the certificate of the authority with --ca-file.`;
  }
  if (protocolCodes.test(code)) return `${reached} Check that the URL has the right scheme (https or http) and port.`;
  return `${reached} ${advice}`;
}

/** As Node's TLS names them. */
const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
/** No TLS where TLS was expected, or the other way round. */
const protocolCodes = /^(EPROTO|HPE_|ERR_SSL_)/;

function hostIn({ dataDir, tokenFile: named, caFile }: HostAddress): Found {
  if (named !== undefined) throw new UserError('--token-file needs --url.', { code: 'InvalidOption' });
  if (caFile !== undefined) throw new UserError('--ca-file needs --url.', { code: 'InvalidOption' });
  const directory = resolve(dataDir);
  const url = rememberedUrl(directory);
  const tokenFile = rememberedTokenFile(directory);
  if (url === undefined || !existsSync(tokenFile)) {
    throw new UserError(
      `No host has ever run in ${directory}. Start one with 'poolwright start', pass the host's directory with --data-dir, or pass a remote host with --url.`,
      { code: 'HostUnreachable' },
    );
  }
  const token = readFileSync(tokenFile, 'utf8').trim();
  return { url, token, advice: `Start it with 'poolwright start --data-dir ${dataDir}'.` };
}

function hostAt(url: string, { tokenFile, caFile }: Pick<HostAddress, 'tokenFile' | 'caFile'>): Found {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError(`--url must be the https:// URL of a host, but it is ${JSON.stringify(url)}.`, {
      code: 'InvalidOption',
    });
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isThisMachine(hostname)) {
    throw new UserError('--url must be https://, because the token would otherwise be sent unencrypted.', {
      code: 'InvalidOption',
    });
  }
  if (tokenFile === undefined)
    throw new UserError('--url needs --token-file: the host authenticates every request.', { code: 'InvalidOption' });
  const token = readNamed('--token-file', tokenFile);
  if (token === '') throw new UserError(`--token-file: ${tokenFile} is empty.`, { code: 'FileUnreadable' });
  return {
    url,
    token,
    ...defined({ ca: caFile && authorities(caFile) }),
    advice: 'Check the URL, and that you can reach it from here.',
  };
}

function authorities(file: string): string {
  const text = readNamed('--ca-file', file);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new UserError(`--ca-file: ${file} contains no certificate in PEM format.`, { code: 'InvalidOption' });
}

function readNamed(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UserError(`${option}: ${file} cannot be read (${code}).`, { code: 'FileUnreadable' });
  }
}

/** Elsewhere somebody could stand in between. */
function isThisMachine(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(address)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.address === address));
}

/** Opens, uses and closes. */
export async function withHostApi<T>(address: HostAddress, use: (api: HostApi) => Promise<T>): Promise<T> {
  const api = openHostApi(address);
  try {
    return await use(api);
  } finally {
    api.close();
  }
}

interface Page<T> {
  items: T[];
  next?: string;
}

/** One page after the other, for as long as the reader goes on and there is a next one. */
export async function* pagesOf<T, P extends Page<T> = Page<T>>(
  api: HostApi,
  path: string,
  query: HttpQuery,
): AsyncGenerator<P> {
  let after: string | undefined;
  do {
    const page: P = await api.ask('GET', path, { query: { ...query, ...defined({ after }) } });
    yield page;
    after = page.next;
  } while (after !== undefined);
}

/** Answers that come in pages, up to a number that a person might still read. */
export async function allPages<T>(api: HostApi, path: string, query: HttpQuery, most: number): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pagesOf<T>(api, path, { ...query, limit: '100' })) {
    items.push(...page.items);
    if (items.length >= most) break;
  }
  return items;
}

/** The host understood, and says why not. */
export class HostProblem extends UserError {
  /** Stable and short, such as `unknown-claim`. */
  readonly kind: string;

  constructor(kind: string, detail: string) {
    super(detail, { code: codeOfKind(kind) });
    this.kind = kind;
  }
}

function problemIn(body: Json | undefined): HostProblem | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { type, detail } = body;
  return typeof detail === 'string' ? new HostProblem(String(type).split(':').at(-1) ?? '', detail) : undefined;
}
