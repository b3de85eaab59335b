/** `poolwright bridge`: follows one cluster and sends its events to a host. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Destination, startBridgeHost } from '../../../functions/hosts/bridge/host.ts';
import { defined } from '../../../shared/base/defined.ts';
import { describeProblems } from '../../../shared/base/problems.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { configuredAccess } from '../../../shared/kube/access/configured-access.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import type { ClusterApi, Resource } from '../../../shared/kube/contract.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { createLog } from '../../../shared/observe/log/log.ts';
import type { Level } from '../../terminal/option-values.ts';
import { untilStopped } from '../../terminal/signals.ts';
import { UserError } from '../../terminal/user-error.ts';
import { version } from '../../version.ts';

export interface BridgeCommandOptions {
  cluster: string;
  to: string;
  tokenFile?: string;
  caFile?: string;
  certFile?: string;
  keyFile?: string;
  kubeconfig?: string;
  context?: string;
  server?: string;
  serverTokenFile?: string;
  serverCaFile?: string;
  stateDir?: string;
  stateConfigMap?: string;
  nodeClass?: string[];
  clusterRequests?: boolean;
  probes: string;
  logLevel?: Level;
}

const requestTimeoutMs = 30_000;

export async function bridge(options: BridgeCommandOptions): Promise<number> {
  const log = createLog({ level: options.logLevel ?? 'info', pretty: process.stdout.isTTY });
  const to = destinationOf(options);
  const state = stateOf(options);
  const probes = addressOf(options.probes);
  const nodeClasses = options.nodeClass?.map(nodeClassOf);
  const started = await startBridgeHost({
    cluster: options.cluster,
    api: await connect(options, log),
    to,
    ...defined({ state, nodeClasses, probes, requests: options.clusterRequests }),
    log,
    version,
  });
  if (!started.ok) throw new UserError(started.error.message, { code: 'HostNotStarted' });
  await untilStopped();
  await started.value.stop();
  return 0;
}

function destinationOf(options: BridgeCommandOptions): Destination {
  const { to, tokenFile, caFile, certFile, keyFile } = options;
  if (to.startsWith('sqlite:')) {
    const directory = resolve(to.slice('sqlite:'.length));
    if (!existsSync(directory)) {
      throw new UserError(`--to: data directory ${directory} does not exist. Start the host there first.`, {
        code: 'HostUnreachable',
      });
    }
    return { kind: 'sqlite', directory };
  }
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol)) {
    throw new UserError(`--to must be the URL of a host (https://…) or sqlite:<data directory>, but it is ${to}`, {
      code: 'InvalidOption',
    });
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UserError('--cert-file and --key-file must be used together.', { code: 'InvalidOption' });
  }
  if (tokenFile === undefined && certFile === undefined) {
    throw new UserError('The host authenticates every request: pass --token-file, or --cert-file and --key-file.', {
      code: 'InvalidOption',
    });
  }
  const token = tokenFile === undefined ? undefined : readText('--token-file', tokenFile).trim();
  if (token === '') throw new UserError(`--token-file: ${tokenFile} is empty.`, { code: 'FileUnreadable' });
  return {
    kind: 'http',
    url: to,
    ...defined({ tokenFile }),
    ...(caFile === undefined ? {} : { ca: readText('--ca-file', caFile) }),
    ...(certFile === undefined ? {} : { cert: readText('--cert-file', certFile) }),
    ...(keyFile === undefined ? {} : { key: readText('--key-file', keyFile) }),
  };
}

function stateOf({ stateDir, stateConfigMap }: BridgeCommandOptions) {
  if (stateDir !== undefined && stateConfigMap !== undefined) {
    throw new UserError('--state-dir and --state-config-map cannot be combined: pass only one of them.', {
      code: 'InvalidOption',
    });
  }
  if (stateDir !== undefined) return { directory: resolve(stateDir) };
  if (stateConfigMap === undefined) return undefined;
  const [, namespace, name] = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/.exec(stateConfigMap) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new UserError(`--state-config-map must be <namespace>/<name>, but it is ${stateConfigMap}`, {
      code: 'InvalidOption',
    });
  }
  return { configMap: { namespace, name } };
}

/** `127.0.0.1:8471`, `0.0.0.0:8471`, `[::1]:8471`; `off` for none. */
function addressOf(text: string): { host: string; port: number } | undefined {
  if (text === 'off') return undefined;
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw new UserError(`--probes must be <address>:<port> or off, but it is ${text}`, { code: 'InvalidOption' });
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** `poolwright.dev/v1alpha1/simnodeclasses/SimNodeClass`. */
function nodeClassOf(text: string): Resource {
  const [group, resourceVersion, plural, kind, ...rest] = text.split('/');
  if (!group || !resourceVersion || !plural || !kind || rest.length > 0) {
    throw new UserError(
      `--node-class must be <group>/<version>/<plural>/<Kind>, such as poolwright.dev/v1alpha1/simnodeclasses/SimNodeClass, but it is ${text}`,
      { code: 'InvalidOption' },
    );
  }
  return { group, version: resourceVersion, plural, kind, namespaced: false };
}

async function connect(options: BridgeCommandOptions, log: Log): Promise<ClusterApi> {
  const { cluster: name, kubeconfig, context, server, serverTokenFile: tokenFile, serverCaFile } = options;
  if (kubeconfig !== undefined && server !== undefined) {
    throw new UserError('--kubeconfig and --server cannot be combined: pass only one of them.', {
      code: 'InvalidOption',
    });
  }
  if (server !== undefined && !(URL.canParse(server) && /^https?:$/.test(new URL(server).protocol))) {
    throw new UserError(`--server must be an http:// or https:// URL, but it is ${server}`, { code: 'InvalidOption' });
  }
  const inCluster = kubeconfig === undefined && server === undefined;
  if (inCluster && process.env.KUBERNETES_SERVICE_HOST === undefined) {
    throw new UserError('Not running in a cluster: pass --kubeconfig or --server.', {
      code: 'NoClusterAccess',
    });
  }
  const found = await configuredAccess(
    { server, kubeconfig, context, tokenFile, certificateAuthority: serverCaFile, inCluster },
    { env: process.env, clock: systemClock },
  );
  if (!found.ok) throw new UserError(found.error.message, { code: 'NoClusterAccess' });
  if (found.value.problem !== undefined)
    log.write('cluster.access.doubtful', { cluster: name, problem: describeProblems([found.value.problem]) });
  return connectCluster({
    name,
    ...found.value.access,
    clock: systemClock,
    log,
    requestTimeoutMs,
    fieldManager: 'poolwright-bridge',
    maxSockets: 4,
  });
}

function readText(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UserError(`${what}: ${file} can't be read (${code}).`, { code: 'FileUnreadable' });
  }
}
