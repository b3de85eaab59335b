/** Reads from a kubeconfig what is needed to reach one cluster. What we can't do yet is an error that says so. */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { didYouMean } from '../claims/nearest.ts';
import type { Json } from '../json.ts';
import { asObject } from './status.ts';

/** How to reach a cluster; PEM texts, and where the token is or is kept. */
export interface ClusterAccess {
  url: string;
  ca?: string;
  cert?: string;
  key?: string;
  token?: string;
  tokenFile?: string;
}

export type KubeconfigResult = { ok: true; access: ClusterAccess; context: string } | { ok: false; text: string };

type Fields = { [key: string]: Json };

/** Why the file cannot be used; caught in this file and turned into a value. */
class Unusable extends Error {}

/** The named context, or the current one. The text of a failure names file, entry and what to do, and holds no secret. */
export function readKubeconfig(file: string, wantedContext?: string): KubeconfigResult {
  try {
    return read(file, wantedContext);
  } catch (error) {
    if (error instanceof Unusable) return { ok: false, text: `${file}: ${error.message}` };
    throw error;
  }
}

function read(file: string, wantedContext: string | undefined): KubeconfigResult {
  const config = parseFile(file);
  const contextName = wantedContext ?? textAt(config, 'current-context');
  if (contextName === undefined || contextName === '') {
    throw new Unusable(
      `it has no current-context; name one of its contexts: ${namesIn(config, 'contexts').join(', ') || 'none'}`,
    );
  }
  const context = entry(config, 'contexts', 'context', contextName);
  const clusterName = textAt(context, 'cluster');
  if (clusterName === undefined) throw new Unusable(`the context "${contextName}" names no cluster`);
  const cluster = entry(config, 'clusters', 'cluster', clusterName);
  const userName = textAt(context, 'user');
  const user = userName === undefined || userName === '' ? {} : entry(config, 'users', 'user', userName);

  refuseUnsupported(cluster, user, `cluster "${clusterName}"`, `user "${userName ?? ''}"`);
  const url = textAt(cluster, 'server');
  if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
    throw new Unusable(`the cluster "${clusterName}" needs a server that is an http:// or https:// URL`);
  }
  const folder = dirname(file);
  const access: ClusterAccess = { url };
  const ca = pem(cluster, 'certificate-authority', folder);
  const cert = pem(user, 'client-certificate', folder);
  const key = pem(user, 'client-key', folder);
  if ((cert === undefined) !== (key === undefined)) {
    throw new Unusable(`the user "${userName}" needs both client-certificate and client-key, or neither`);
  }
  if (ca !== undefined) access.ca = ca;
  if (cert !== undefined) access.cert = cert;
  if (key !== undefined) access.key = key;
  const token = textAt(user, 'token');
  const tokenFile = textAt(user, 'tokenFile');
  // Where both are given the file is the fresher one.
  if (tokenFile !== undefined && tokenFile !== '') access.tokenFile = resolve(folder, tokenFile);
  else if (token !== undefined && token !== '') access.token = token;
  return { ok: true, access, context: contextName };
}

function parseFile(file: string): Fields {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Unusable(`it cannot be read (${codeOf(error)})`);
  }
  let parsed: Json;
  try {
    // The parser's own message quotes the line it stumbled over, which may hold a secret.
    parsed = parse(text, { prettyErrors: false }) as Json;
  } catch {
    throw new Unusable('it is not valid YAML');
  }
  const config = asObject(parsed);
  if (config === undefined) throw new Unusable('it is no kubeconfig');
  return config;
}

function refuseUnsupported(cluster: Fields, user: Fields, clusterName: string, userName: string): void {
  const exec = asObject(user.exec);
  if (exec !== undefined) {
    const command = textAt(exec, 'command') ?? '?';
    throw new Unusable(
      `the ${userName} gets its credentials from a command (exec: ${command}), which is not supported yet; use a token, a tokenFile or a client certificate`,
    );
  }
  const instead = 'use a token, a tokenFile or a client certificate';
  if (user['auth-provider'] !== undefined)
    throw new Unusable(`the ${userName} uses auth-provider, which is not supported; ${instead}`);
  if (user.username !== undefined || user.password !== undefined) {
    throw new Unusable(`the ${userName} uses a username and a password, which is not supported; ${instead}`);
  }
  if (user.as !== undefined)
    throw new Unusable(`the ${userName} impersonates another one (as), which is not supported`);
  if (cluster['insecure-skip-tls-verify'] === true && textAt(cluster, 'server')?.startsWith('https:') === true) {
    throw new Unusable(
      `the ${clusterName} sets insecure-skip-tls-verify, which is not supported; give its certificate-authority`,
    );
  }
  for (const field of ['proxy-url', 'tls-server-name']) {
    if (cluster[field] !== undefined)
      throw new Unusable(`the ${clusterName} sets ${field}, which is not supported yet`);
  }
}

/** `<field>-data` in base64, which comes first, or a file, relative to the kubeconfig. */
function pem(from: Fields, field: string, folder: string): string | undefined {
  const data = textAt(from, `${field}-data`);
  if (data !== undefined && data !== '') {
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (!text.includes('-----BEGIN ')) throw new Unusable(`${field}-data is not a PEM text in base64`);
    return text;
  }
  const file = textAt(from, field);
  if (file === undefined || file === '') return undefined;
  try {
    return readFileSync(resolve(folder, file), 'utf8');
  } catch (error) {
    throw new Unusable(`${field}: ${resolve(folder, file)} cannot be read (${codeOf(error)})`);
  }
}

function entry(config: Fields, section: string, field: string, name: string): Fields {
  for (const item of listAt(config, section)) {
    if (item.name === name) return asObject(item[field]) ?? {};
  }
  const names = namesIn(config, section);
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new Unusable(`it has no entry "${name}" under ${section}: ${known}${didYouMean(name, names)}`);
}

function namesIn(config: Fields, section: string): string[] {
  return listAt(config, section).flatMap((item) => (typeof item.name === 'string' ? [item.name] : []));
}

function listAt(config: Fields, section: string): Fields[] {
  const list = config[section];
  return Array.isArray(list) ? list.map((item) => asObject(item) ?? {}) : [];
}

function textAt(from: Fields, field: string): string | undefined {
  const value = from[field];
  return typeof value === 'string' ? value : undefined;
}

function resolve(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
