/** The whole simulated world: a cluster API and a cloud whose machines join it, both in one data directory. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { type Aso, type AsoOptions, startAso } from '../aso/aso.ts';
import { installOperator } from '../aso/definitions.ts';
import type { KubeletHook } from '../cloud/node-api.ts';
import { type SimCloud, type SimCloudOptions, startSimCloud } from '../cloud/start.ts';
import { type ClusterApi, kubeconfigFor, type SeenRequest, startClusterApi } from '../cluster/server.ts';

export interface World {
  readonly cluster: ClusterApi;
  readonly cloud: SimCloud;
  readonly kubeconfig: string;
  /** Where the cluster is to make other clusters. */
  readonly aso: Aso | undefined;
  close(): Promise<void>;
}

export interface WorldOptions {
  directory: string;
  clusterPort?: number;
  cloudPort?: number;
  cloud?: Omit<SimCloudOptions, 'file' | 'port' | 'kubelet'>;
  /** The cluster is a management cluster, with a stand-in for Azure Service Operator. */
  aso?: Pick<AsoOptions, 'settings' | 'faults' | 'seed'>;
  /** Each request to the cluster, and to clusters that are made in it. */
  onRequest?: (request: SeenRequest) => void;
}

type Ports = { cluster?: number; cloud?: number };

export async function startWorld(options: WorldOptions): Promise<World> {
  const { directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const ports = readPorts(directory);
  const open: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const one of open.splice(0).reverse()) await one.close();
  };
  try {
    const cluster = await onPort(options.clusterPort, ports.cluster, (port) =>
      startClusterApi({ file: join(directory, 'cluster.db'), port, onRequest: options.onRequest }),
    );
    open.push(cluster);
    const cloud = await onPort(options.cloudPort, ports.cloud, (port) =>
      startSimCloud({
        ...options.cloud,
        file: join(directory, 'cloud.db'),
        port,
        kubelet: { clusterUrl: cluster.url },
      }),
    );
    open.push(cloud);
    // The same ports again next time: a kubeconfig that somebody exported goes on working.
    writeWhole(join(directory, 'ports.json'), JSON.stringify({ cluster: cluster.port, cloud: cloud.port }));
    const kubeconfig = join(directory, 'kubeconfig');
    writeWhole(kubeconfig, kubeconfigFor(cluster.url));
    const aso =
      options.aso === undefined
        ? undefined
        : await startOperator(cluster, directory, { ...options.aso, onRequest: options.onRequest });
    if (aso !== undefined) open.push(aso);
    return { cluster, cloud, kubeconfig, aso, close };
  } catch (error) {
    // Half a world would keep the process alive that has just said why it can't start.
    await close();
    throw error;
  }
}

async function startOperator(
  { url }: ClusterApi,
  directory: string,
  options: Omit<AsoOptions, 'api' | 'directory'>,
): Promise<Aso> {
  const api = connectCluster({
    name: 'management',
    url,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 10_000,
    fieldManager: 'aso-controller',
  });
  await installOperator(api);
  const aso = await startAso({ ...options, api, directory: join(directory, 'aso') });
  const close = async (): Promise<void> => {
    await aso.close();
    api.close();
  };
  return { ...aso, close };
}

/** The cloud alone, with machines that join somebody's own cluster. */
export async function startCloudFor(
  kubelet: KubeletHook,
  { directory, cloudPort, cloud }: Omit<WorldOptions, 'clusterPort'>,
): Promise<SimCloud> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const ports = readPorts(directory);
  const started = await onPort(cloudPort, ports.cloud, (port) =>
    startSimCloud({ ...cloud, file: join(directory, 'cloud.db'), port, kubelet }),
  );
  writeWhole(join(directory, 'ports.json'), JSON.stringify({ ...ports, cloud: started.port }));
  return started;
}

/** A port that was asked for must be had; a remembered one that is taken meanwhile is replaced by a free one. */
async function onPort<T>(
  wanted: number | undefined,
  remembered: number | undefined,
  open: (port: number) => Promise<T>,
): Promise<T> {
  if (wanted !== undefined) return open(wanted);
  if (remembered === undefined) return open(0);
  try {
    return await open(remembered);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return open(0);
    throw error;
  }
}

function readPorts(directory: string): Ports {
  try {
    return JSON.parse(readFileSync(join(directory, 'ports.json'), 'utf8')) as Ports;
  } catch {
    return {};
  }
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
