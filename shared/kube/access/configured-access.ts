/** From a cluster's fields in the configuration to a way in; what can't work is said here, before anything is asked. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { failedBy, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { proxyFromEnvironment, proxyProblem } from '../../net/http-proxy.ts';
import type { AccessFiles, ClusterAccess } from './access.ts';
import { authorityProblem, clientCertificateProblem } from './certificates.ts';
import { inClusterAccess } from './in-cluster.ts';

/** The fields of `clusters.<name>` that say how to reach it. */
export interface AccessConfig {
  readonly server?: string | undefined;
  /** The cloud that knows how to reach it. */
  readonly access?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly inCluster?: boolean | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

export interface AccessContext {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Where a pod's service account is mounted, if not in the usual place. */
  serviceAccountFolder?: string;
}

/** `problem`: it can't work now, but time or somebody who renews a file may mend it. */
export interface ConfiguredAccess {
  access: ClusterAccess;
  problem?: Problem;
}

/** A failure is a mistake that somebody has to correct. */
export async function configuredAccess(
  config: AccessConfig,
  context: AccessContext,
): Promise<Result<ConfiguredAccess>> {
  const way = await wayIn(config, context);
  return way.ok ? completeAccess(way.value, config, context) : way;
}

/** What else the fields say about a way in, and whether it can work. */
export function completeAccess(
  way: ClusterAccess,
  config: AccessConfig,
  context: AccessContext,
): Result<ConfiguredAccess> {
  const access: ClusterAccess = {
    ...way,
    ...defined({ tlsServerName: config.tlsServerName }),
    ...(config.insecureSkipTlsVerify === true && way.url.startsWith('https:') ? { skipTlsVerify: true } : {}),
  };
  const proxyUrl = config.proxyUrl ?? access.proxyUrl ?? proxyFromEnvironment(new URL(access.url), context.env);
  const proxyMistake = proxyUrl === undefined ? undefined : proxyProblem(proxyUrl);
  if (proxyMistake !== undefined) {
    return failedBy([{ path: '', message: `the proxy from the environment ${proxyMistake}` }]);
  }
  if (proxyUrl !== undefined) access.proxyUrl = proxyUrl;

  const { ca, cert, key } = access;
  const certificateProblem =
    (ca === undefined ? undefined : authorityProblem(ca, context.clock)) ??
    (cert === undefined || key === undefined ? undefined : clientCertificateProblem(cert, key, context.clock));
  const tokenProblem = access.tokenFile === undefined ? undefined : tokenFileProblem(access.tokenFile);
  const problem = certificateProblem ?? tokenProblem;
  if (problem === undefined) return ok({ access });
  const told: Problem = { path: fieldOf(config, problem === tokenProblem), message: problem.text };
  return problem.passing ? ok({ access, problem: told }) : failedBy([told]);
}

async function wayIn(config: AccessConfig, context: AccessContext): Promise<Result<ClusterAccess>> {
  if (config.inCluster === true) {
    const way = inClusterAccess(context.env, context.serviceAccountFolder);
    return way.ok ? way : failedBy([{ path: 'inCluster', message: way.error.message }]);
  }
  if (config.kubeconfig !== undefined) {
    const file = config.kubeconfig === 'default' ? defaultKubeconfig(context.env) : config.kubeconfig;
    // It brings a YAML parser along, which those who are told a URL need not load.
    const { readKubeconfig } = await import('./kubeconfig.ts');
    const read = readKubeconfig(file, config.context, { allowInsecure: config.insecureSkipTlsVerify === true });
    return read.ok ? ok(read.access) : failedBy([{ path: 'kubeconfig', message: read.text }]);
  }
  return fromUrl(config);
}

/** As kubectl finds it. */
function defaultKubeconfig(env: AccessContext['env']): string {
  return env.KUBECONFIG || join(env.HOME ?? homedir(), '.kube', 'config');
}

function fromUrl(config: AccessConfig): Result<ClusterAccess> {
  const { server = '', token, tokenFile } = config;
  const access: ClusterAccess = { url: server };
  const files: AccessFiles = {};
  const pems = [
    ['ca', 'certificateAuthority'],
    ['cert', 'clientCertificate'],
    ['key', 'clientKey'],
  ] as const;
  for (const [part, field] of pems) {
    const given = config[field];
    if (given === undefined) continue;
    if (given.includes('-----BEGIN ')) {
      access[part] = given;
      continue;
    }
    try {
      access[part] = readFileSync(given, 'utf8');
      files[part] = given;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      return failedBy([
        { path: field, message: `${given} cannot be read (${code}); check the path and the file permissions` },
      ]);
    }
  }
  return ok({
    ...access,
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...defined({ token, tokenFile }),
  });
}

/** Without a token the server would take us for anybody, and complain about rights instead. */
function tokenFileProblem(file: string): { text: string; passing: boolean } | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim();
    rememberSecret(token);
    if (token !== '') return undefined;
    return { text: `the token file ${file} is empty; put a token into it`, passing: true };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const text = `the token file ${file} cannot be read (${code}); check the path and the file permissions`;
    return { text, passing: false };
  }
}

function fieldOf({ access, server, kubeconfig, inCluster, clientCertificate }: AccessConfig, isToken: boolean): string {
  if (access !== undefined && server === undefined) return 'access';
  if (kubeconfig !== undefined) return 'kubeconfig';
  if (inCluster === true) return 'inCluster';
  if (isToken) return 'tokenFile';
  return clientCertificate === undefined ? 'certificateAuthority' : 'clientCertificate';
}
