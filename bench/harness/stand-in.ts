/** A cluster and a stand-in for somebody's cloud, in a process of their own, and claims that come and go. */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { endProcess } from './end-process.ts';
import { type HostWorld, startHost } from './host.ts';
import { rememberProcess, removeDirectory, temporaryDirectory } from './leftovers.ts';

/** What the stand-in has counted; `calls` by their kind. */
export type StandInStats = { calls: Record<string, number>; living: number };

/** What claims are made of on this stand-in. */
export interface StandInKind {
  /** The provider's name, and that of the stand-in for `poolwright simulate`. */
  provider: 'aks' | 'arc' | 'ec2' | 'cloudstack' | 'remote';
  /** Of the stand-in. */
  settings: object;
  /** What the host is told beside where the stand-in is. */
  options: { [key: string]: Json };
  /** Made before the claims. */
  nodeClass?: { path: string; body: Json };
  claim(name: string): Json;
}

export interface Lives<Stats> {
  /** Until the cloud had made the last one's machine, until the last was Ready, and until the last was gone. */
  madeSeconds: number;
  upSeconds: number;
  downSeconds: number;
  /** When the first claim was made, in milliseconds. */
  startedAt: number;
  stats: Stats;
}

type Claim = { status?: { conditions?: { type: string; status: string }[] } };

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));
const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const timeoutMs = 60_000;
const lookMs = 20;

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export async function standInLives<Stats extends StandInStats>(
  kind: StandInKind,
  count: number,
): Promise<Lives<Stats>> {
  const root = temporaryDirectory(kind.provider);
  const world = await startStandIn<Stats>(join(root, 'world'), kind);
  try {
    const host = await startHost(join(root, 'host'), world);
    const startedAt = Date.now();
    const upSeconds = await world.createAll(count);
    const madeSeconds = ((await world.lastMadeAt()) - startedAt) / 1000;
    const downSeconds = await world.removeAll();
    const stats = await world.stats();
    await host.end();
    return { madeSeconds, upSeconds, downSeconds, startedAt, stats };
  } finally {
    await world.end();
    removeDirectory(root);
  }
}

async function startStandIn<Stats>(directory: string, kind: StandInKind) {
  const { provider, settings, options, nodeClass, claim } = kind;
  const args = ['simulate', '--provider', provider, '--data-dir', directory, '--settings', JSON.stringify(settings)];
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the stand-in ended with ${code} before it was up`)));
  });
  const places = JSON.parse(line) as {
    cluster: string;
    cloud: string;
    standIn: { options: { [kind: string]: object }; env: Record<string, string> };
  };
  const cluster = createHttpClient({ baseUrl: places.cluster, userAgent: 'bench', maxSockets: 16 });
  const control = createHttpClient({ baseUrl: places.cloud, userAgent: 'bench' });
  const ask = async (client: typeof cluster, method: 'GET' | 'POST' | 'DELETE', path: string, body?: Json) => {
    const request = { method, path, timeoutMs, ...defined({ body }) };
    const first = await client.request(request);
    // A connection that was idle for long may be closed in the moment in which it is used again.
    const answer = first.ok || method === 'POST' ? first : await client.request(request);
    if (!answer.ok) throw new Error(answer.message);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer.json();
  };
  const claims = async (): Promise<Claim[]> => ((await ask(cluster, 'GET', claimsPath)) as { items: Claim[] }).items;
  if (nodeClass !== undefined) await ask(cluster, 'POST', nodeClass.path, nodeClass.body);
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
      [provider]: { type: provider, ...places.standIn.options[provider], ...options },
    } satisfies HostWorld['providers'],
    env: places.standIn.env,
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
    lastMadeAt: async (): Promise<number> => {
      const ledger = (await ask(control, 'GET', '/ledger?limit=5000')) as { items: { createdAt: number }[] };
      return Math.max(...ledger.items.map(({ createdAt }) => createdAt));
    },
    stats: async (): Promise<Stats> => (await ask(control, 'GET', '/stats')) as Stats,
    end: async (): Promise<void> => {
      cluster.close();
      control.close();
      await endProcess(child, 'SIGTERM');
    },
  };
}

const isReady = ({ status }: Claim): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
