/** A cluster whose machines are agent pools of the stand-in for Azure, in a process of its own, and claims that come and go. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createHttpClient } from '../../shared/http-client.ts';
import type { Json } from '../../shared/json.ts';
import { endProcess } from './end-process.ts';
import { type HostWorld, startHost } from './host.ts';
import { rememberProcess, removeDirectory, temporaryDirectory } from './leftovers.ts';

export type PoolStats = {
  /** By kind of call: `pools.put`, `operations.get`, … */
  calls: Record<string, number>;
  living: number;
  /** What all ended operations took, as the stand-in has it. */
  busyMs: number;
};

export interface PoolLives {
  seconds: number;
  stats: PoolStats;
}

type Claim = { status?: { conditions?: { type: string; status: string }[] } };

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));
const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const timeoutMs = 60_000;
const lookMs = 20;

/** Of the stand-in; the host is told as well how many operations may run at once. */
export type PoolSettings = { operationsAtOnce: number; [setting: string]: number };

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export async function poolLives(kind: 'aks' | 'arc', settings: PoolSettings, count: number): Promise<PoolLives> {
  const root = temporaryDirectory(kind);
  const world = await startAzure(join(root, 'world'), kind, settings);
  try {
    const host = await startHost(join(root, 'host'), world);
    const seconds = (await world.createAll(count)) + (await world.removeAll());
    const stats = await world.stats();
    await host.end();
    return { seconds, stats };
  } finally {
    await world.end();
    removeDirectory(root);
  }
}

async function startAzure(directory: string, kind: 'aks' | 'arc', settings: PoolSettings) {
  const args = ['simulate', '--provider', kind, '--data-dir', directory, '--settings', JSON.stringify(settings)];
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the stand-in for Azure ended with ${code} before it was up`)));
  });
  const places = JSON.parse(line) as {
    cluster: string;
    cloud: string;
    azure: { options: { [kind: string]: object }; env: Record<string, string> };
  };
  const cluster = createHttpClient({ baseUrl: places.cluster, userAgent: 'bench', maxSockets: 16 });
  const control = createHttpClient({ baseUrl: places.cloud, userAgent: 'bench' });
  const ask = async (client: typeof cluster, method: 'GET' | 'POST' | 'DELETE', path: string, body?: Json) => {
    const answer = await client.request({ method, path, timeoutMs, ...(body === undefined ? {} : { body }) });
    if (!answer.ok) throw new Error(answer.message);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer.json();
  };
  const claims = async (): Promise<Claim[]> => ((await ask(cluster, 'GET', claimsPath)) as { items: Claim[] }).items;
  let names: string[] = [];
  const timed = async (work: () => Promise<unknown>, isOver: (all: Claim[]) => boolean): Promise<number> => {
    const started = performance.now();
    await work();
    while (!isOver(await claims())) await pause(lookMs);
    return (performance.now() - started) / 1000;
  };
  return {
    clusterUrl: places.cluster,
    providers: {
      [kind]: { type: kind, ...places.azure.options[kind], operationsAtOnce: settings.operationsAtOnce },
    } satisfies HostWorld['providers'],
    env: places.azure.env,
    /** The seconds until the last of them was Ready. */
    createAll: (count: number): Promise<number> => {
      names = Array.from({ length: count }, (_, index) => `w${String(index).padStart(5, '0')}`);
      return timed(
        () => Promise.all(names.map((name) => ask(cluster, 'POST', claimsPath, claim(name)))),
        (all) => all.filter(isReady).length === count,
      );
    },
    /** The seconds until the last of them was gone. */
    removeAll: (): Promise<number> =>
      timed(
        () => Promise.all(names.map((name) => ask(cluster, 'DELETE', `${claimsPath}/${name}`))),
        (all) => all.length === 0,
      ),
    stats: async (): Promise<PoolStats> => (await ask(control, 'GET', '/stats')) as PoolStats,
    end: async (): Promise<void> => {
      cluster.close();
      control.close();
      await endProcess(child, 'SIGTERM');
    },
  };
}

const isReady = ({ status }: Claim): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** As KAITO makes them. */
const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, labels: { 'kaito.sh/workspace': 'bench' } },
  spec: {
    nodeClassRef: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '2', storage: '64Gi' } },
  },
});
