/** The `exec` part of a kubeconfig's user: a command that prints credentials. */

import { isAbsolute, join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import type { ClusterAccess, ExecPlugin } from './access.ts';
import { Unusable } from './unusable.ts';

type Fields = { [key: string]: Json };

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
/** Where a cluster's entry keeps what is meant for the command. */
const extensionName = 'client.authentication.k8s.io/exec';

export function execPluginOf(
  exec: Fields,
  user: string,
  folder: string,
  cluster: Fields,
  access: ClusterAccess,
): ExecPlugin {
  const { command, apiVersion, installHint } = exec;
  if (typeof command !== 'string' || command === '') throw new Unusable(`the exec of the ${user} has no command`);
  const version = versions.find((one) => one === apiVersion);
  if (version === undefined) {
    throw new Unusable(
      `the exec of the ${user} (${command}) has the apiVersion ${JSON.stringify(apiVersion ?? null)}, which is not supported; use ${versions.join(' or ')}`,
    );
  }
  if (exec.interactiveMode === 'Always') {
    throw new Unusable(
      `the exec of the ${user} (${command}) needs a user at a terminal (interactiveMode: Always), but the host has no terminal; use a login without prompts`,
    );
  }
  return {
    apiVersion: version,
    // Only a path is meant from the kubeconfig; a bare name is looked for in the PATH.
    command: command.includes('/') && !isAbsolute(command) ? join(folder, command) : command,
    args: Array.isArray(exec.args) ? exec.args.map(String) : [],
    env: environmentOf(exec.env),
    ...(typeof installHint === 'string' && installHint !== '' ? { installHint } : {}),
    ...(exec.provideClusterInfo === true ? { cluster: clusterInfo(cluster, access) } : {}),
  };
}

function environmentOf(list: Json | undefined): Record<string, string> {
  const pairs = (Array.isArray(list) ? list : []).flatMap((item) => {
    const { name, value } = asObject(item) ?? {};
    return typeof name === 'string' && typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

function clusterInfo(cluster: Fields, access: ClusterAccess): Record<string, unknown> {
  const extensions = Array.isArray(cluster.extensions) ? cluster.extensions : [];
  const config = extensions.map(asObject).find((one) => one?.name === extensionName)?.extension;
  return {
    server: access.url,
    ...defined({ 'tls-server-name': access.tlsServerName }),
    ...(access.skipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(access.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(access.ca).toString('base64') }),
    ...defined({ 'proxy-url': access.proxyUrl, config }),
  };
}
