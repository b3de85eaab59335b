/**
 * Reads from kubeconfigs what is needed to reach one cluster, as kubectl does: several files make one configuration, the first
 * that names something wins, and paths are meant from the file that they stand in. What we can't do is an error that says so.
 */

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import { didYouMean } from '../../base/nearest.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { rememberPrivateKey, rememberUrl } from '../../base/secrets/remember-parts.ts';
import { proxyProblem } from '../../net/http-proxy.ts';
import type { AccessFiles, ClusterAccess, Impersonation } from './access.ts';
import { execPluginOf } from './kubeconfig-exec.ts';
import { Unusable } from './unusable.ts';

export type { ClusterAccess } from './access.ts';

export type KubeconfigResult = { ok: true; access: ClusterAccess; context: string } | { ok: false; text: string };

export interface KubeconfigOptions {
  /** Whether insecure-skip-tls-verify is honored; else it is an error. */
  allowInsecure?: boolean;
}

type Fields = { [key: string]: Json };

/** An entry and the folder from which its paths are meant. */
interface Entry {
  fields: Fields;
  folder: string;
}

interface Merged {
  currentContext: string | undefined;
  contexts: Map<string, Entry>;
  clusters: Map<string, Entry>;
  users: Map<string, Entry>;
}

/**
 * The named context, or the current one. `file` may be several, as in KUBECONFIG. The text of a failure names file, entry and
 * what to do, and holds no secret.
 */
export function readKubeconfig(
  file: string,
  wantedContext?: string,
  options: KubeconfigOptions = {},
): KubeconfigResult {
  try {
    return read(file, wantedContext, options);
  } catch (error) {
    if (error instanceof Unusable) return { ok: false, text: `${file}: ${error.message}` };
    throw error;
  }
}

/** Credentials of one cluster take about 12 KiB; the parser takes its time for every entry, and nobody else is served meanwhile. */
const longestText = 65_536;
const mostEntries = 1000;

/** A kubeconfig that came over the wire. It must hold all that it needs: its sender has no business with our files. */
export function readKubeconfigText(
  text: string,
  wantedContext?: string,
  options: KubeconfigOptions = {},
): KubeconfigResult {
  try {
    if (text.length > longestText || (text.match(/[:,\n]/g) ?? []).length > mostEntries) {
      throw new Unusable(`it is too large: at most ${longestText / 1024} KiB with ${mostEntries} entries are allowed`);
    }
    const merged: Merged = { currentContext: undefined, contexts: new Map(), clusters: new Map(), users: new Map() };
    add(merged, parseText(text, ''), '/nonexistent');
    const found = accessIn(merged, wantedContext, options);
    if (found.ok && (found.access.files !== undefined || found.access.tokenFile !== undefined)) {
      throw new Unusable('it refers to files instead of containing their data');
    }
    return found;
  } catch (error) {
    if (error instanceof Unusable) return { ok: false, text: error.message };
    throw error;
  }
}

function read(file: string, wantedContext: string | undefined, options: KubeconfigOptions): KubeconfigResult {
  return accessIn(merge(file), wantedContext, options);
}

function accessIn(config: Merged, wantedContext: string | undefined, options: KubeconfigOptions): KubeconfigResult {
  const contextName = wantedContext ?? config.currentContext;
  if (contextName === undefined || contextName === '') {
    throw new Unusable(
      `it has no current-context; choose one of its contexts: ${[...config.contexts.keys()].join(', ') || 'none'}`,
    );
  }
  const context = entry(config, 'contexts', contextName).fields;
  const clusterName = textAt(context, 'cluster');
  if (clusterName === undefined) throw new Unusable(`the context "${contextName}" does not name a cluster`);
  const cluster = entry(config, 'clusters', clusterName);
  const userName = textAt(context, 'user') ?? '';
  const user = userName === '' ? { fields: {}, folder: '.' } : entry(config, 'users', userName);
  const access = { ...clusterAccess(cluster, `cluster "${clusterName}"`, options) };
  Object.assign(access, userAccess(user, `user "${userName}"`, cluster, access));
  const files = { ...filesOf(cluster, { ca: 'certificate-authority' }), ...filesOf(user, userPems) };
  return { ok: true, access: Object.keys(files).length === 0 ? access : { ...access, files }, context: contextName };
}

function clusterAccess({ fields, folder }: Entry, name: string, options: KubeconfigOptions): ClusterAccess {
  const url = textAt(fields, 'server');
  if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
    throw new Unusable(`the ${name} needs a server that is an http:// or https:// URL`);
  }
  const insecure = fields['insecure-skip-tls-verify'] === true && url.startsWith('https:');
  if (insecure && options.allowInsecure !== true) {
    throw new Unusable(
      `the ${name} sets insecure-skip-tls-verify, so anyone could impersonate it; set its certificate-authority, or set insecureSkipTlsVerify: true next to kubeconfig if you accept the risk`,
    );
  }
  const ca = pem(fields, 'certificate-authority', folder);
  const serverName = textAt(fields, 'tls-server-name') ?? '';
  const proxyUrl = textAt(fields, 'proxy-url') ?? '';
  const problem = proxyUrl === '' ? undefined : proxyProblem(proxyUrl);
  if (problem !== undefined) throw new Unusable(`the proxy-url of the ${name} ${problem}`);
  if (proxyUrl !== '') rememberUrl(new URL(proxyUrl));
  return {
    url,
    ...defined({ ca }),
    ...(serverName === '' ? {} : { tlsServerName: serverName }),
    ...(proxyUrl === '' ? {} : { proxyUrl }),
    ...(insecure ? { skipTlsVerify: true } : {}),
  };
}

const userPems = { cert: 'client-certificate', key: 'client-key' } as const;

function userAccess(
  { fields, folder }: Entry,
  name: string,
  cluster: Entry,
  reached: ClusterAccess,
): Omit<ClusterAccess, 'url'> {
  const instead = 'use a token, a tokenFile, a client certificate or exec';
  if (fields['auth-provider'] !== undefined)
    throw new Unusable(`the ${name} uses auth-provider, which is not supported; ${instead}`);
  if (fields.username !== undefined || fields.password !== undefined) {
    throw new Unusable(`the ${name} uses a username and a password, which is not supported; ${instead}`);
  }
  const cert = pem(fields, userPems.cert, folder);
  const key = pem(fields, userPems.key, folder);
  if ((cert === undefined) !== (key === undefined)) {
    throw new Unusable(`the ${name} needs both client-certificate and client-key, or neither`);
  }
  const token = textAt(fields, 'token') ?? '';
  const tokenFile = textAt(fields, 'tokenFile') ?? '';
  rememberSecret(token);
  rememberPrivateKey(key);
  const impersonate = impersonationOf(fields, name);
  const exec = asObject(fields.exec);
  return {
    ...defined({ cert, key }),
    // Where both are given the file is the fresher one.
    ...(tokenFile !== '' ? { tokenFile: resolve(folder, tokenFile) } : token === '' ? {} : { token }),
    ...defined({ impersonate }),
    ...(exec === undefined ? {} : { exec: execPluginOf(exec, name, folder, cluster.fields, reached) }),
  };
}

function impersonationOf(fields: Fields, name: string): Impersonation | undefined {
  const user = textAt(fields, 'as') ?? '';
  const uid = textAt(fields, 'as-uid') ?? '';
  const groups = texts(fields['as-groups']);
  const extra = Object.entries(asObject(fields['as-user-extra']) ?? {}).map(([key, values]) => [key, texts(values)]);
  if (user === '') {
    if (uid === '' && groups.length === 0 && extra.length === 0) return undefined;
    throw new Unusable(`the ${name} has as-uid, as-groups or as-user-extra without as`);
  }
  return {
    user,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) as Record<string, string[]> }),
  };
}

function merge(file: string): Merged {
  // A path may hold the character that separates paths.
  const files = existsSync(file) ? [file] : file.split(delimiter).filter((one) => one !== '');
  const merged: Merged = { currentContext: undefined, contexts: new Map(), clusters: new Map(), users: new Map() };
  // Of several files some may be missing, as with kubectl; of one it is a mistake.
  const present = files.length > 1 ? files.filter((one) => existsSync(one)) : files;
  if (present.length === 0) throw new Unusable('none of these files exists');
  for (const one of present) {
    add(merged, parseFile(one, files.length > 1 ? `${one} ` : ''), dirname(one));
  }
  return merged;
}

function add(merged: Merged, config: Fields, folder: string): void {
  if (merged.currentContext === undefined) merged.currentContext = textAt(config, 'current-context') || undefined;
  for (const [section, field] of sections) {
    for (const item of listAt(config, section)) {
      if (typeof item.name !== 'string' || merged[section].has(item.name)) continue;
      merged[section].set(item.name, { fields: asObject(item[field]) ?? {}, folder });
    }
  }
}

const sections = [
  ['contexts', 'context'],
  ['clusters', 'cluster'],
  ['users', 'user'],
] as const;

function parseFile(file: string, which: string): Fields {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Unusable(`${which || 'it '}cannot be read (${codeOf(error)})`);
  }
  return parseText(text, which);
}

function parseText(text: string, which: string): Fields {
  let parsed: Json;
  try {
    // The parser's own message quotes the line it stumbled over, which may hold a secret.
    parsed = parse(text, { prettyErrors: false }) as Json;
  } catch {
    throw new Unusable(`${which || 'it '}is not valid YAML`);
  }
  const config = asObject(parsed);
  const kind = config?.kind;
  if (config === undefined) throw new Unusable(`${which || 'it '}is not a kubeconfig`);
  if (kind !== undefined && kind !== 'Config')
    throw new Unusable(`${which || 'it '}is not a kubeconfig but a ${String(kind)}`);
  if (sections.every(([section]) => config[section] === undefined) && config['current-context'] === undefined) {
    throw new Unusable(`${which || 'it '}is not a kubeconfig: it has no contexts, clusters or users`);
  }
  return config;
}

/** `<field>-data` in base64, which comes first, or a file, relative to the kubeconfig. */
function pem(from: Fields, field: string, folder: string): string | undefined {
  const data = textAt(from, `${field}-data`);
  if (data !== undefined && data !== '') {
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (!text.includes('-----BEGIN ')) throw new Unusable(`${field}-data is not base64-encoded PEM`);
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

/** The files among them: those can be renewed. */
function filesOf({ fields, folder }: Entry, wanted: Partial<Record<keyof AccessFiles, string>>): AccessFiles {
  const found = Object.entries(wanted).flatMap(([part, field]) => {
    const data = textAt(fields, `${field}-data`) ?? '';
    const file = textAt(fields, field) ?? '';
    return data !== '' || file === '' ? [] : [[part, resolve(folder, file)]];
  });
  return Object.fromEntries(found) as AccessFiles;
}

function entry(config: Merged, section: 'contexts' | 'clusters' | 'users', name: string): Entry {
  const found = config[section].get(name);
  if (found !== undefined) return found;
  const names = [...config[section].keys()];
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new Unusable(`it has no entry "${name}" under ${section}: ${known}${didYouMean(name, names)}`);
}

function listAt(config: Fields, section: string): Fields[] {
  const list = config[section];
  return Array.isArray(list) ? list.map((item) => asObject(item) ?? {}) : [];
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
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
