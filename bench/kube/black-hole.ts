/**
 * One deployment, a hundred clusters, and one of them swallows everything that is sent to it, while claims come in all of them:
 * how much longer do the claims of the others take to get their machine? Rounds with and without the black hole alternate, in
 * one host; the median of three blocks counts. Runs on its own as well: `node --import ./cli/node-version.js bench/kube/black-hole.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventBody } from '../../events/make.ts';
import { openDataDirectory } from '../../functions/hosts/local/data-directory.ts';
import { type LocalHost, startLocalHost } from '../../functions/hosts/local/host.ts';
import { systemClock, systemIds } from '../../shared/base/runtime.ts';
import { resolveConfig } from '../../shared/config/load.ts';
import { namespaces } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import type { Bench, Figure } from '../figure.ts';
import { endProcess, mustStay } from '../harness/end-process.ts';
import { rememberProcess, temporaryDirectory } from '../harness/leftovers.ts';
import { median, percentile } from '../harness/statistics.ts';
import { runBench } from '../run.ts';
import type { Order, Urls, Wave } from './many-clusters-process.ts';

const clusters = 100;
/** So few that nobody waits for a processor: it is the waiting for others that is looked for. */
const perSecond = 20;
/** Claims of the cluster that is swallowed: their launches wait for nodes, and look after them, all the time. */
const behindGate = 50;
/** Events about that cluster that somebody else sends in every round, as a webhook would; all at once, which is the worst. */
const toldPerRound = 200;
const pairsPerBlock = 4;

export const blackHole: Figure = {
  name: '100 clusters, one of them black-holed: p99 of the others ÷ without the black hole',
  unit: '',
  limit: 1.1,
  allowed: 'at most',
  measure: measureBlackHole,
};

export async function measureBlackHole({ sizes, say }: Pick<Bench, 'sizes' | 'say'>): Promise<number> {
  const world = await startWorld();
  const host = await startHost(world.urls);
  const count = Math.max(perSecond, Math.round(sizes.few / 10));
  const round = async (prefix: string, swallow: boolean): Promise<number[]> => {
    await world.ask<null>({ order: 'swallow', on: swallow });
    await tell(host, prefix);
    const latencies = await world.ask<number[]>({ order: 'wave', wave: { prefix, perSecond, count } satisfies Wave });
    if (swallow) await recover();
    return latencies;
  };
  /** What a black hole leaves behind must not count for the rounds without it. */
  const recover = async (): Promise<void> => {
    await world.ask<null>({ order: 'swallow', on: false });
    const { api } = host.services.clusters.at(-1) ?? {};
    for (;;) {
      const answer = await api?.get(namespaces, { name: 'kube-system' });
      const { ready, inFlight } = await host.services.events.stats();
      if (answer?.ok === true && ready + inFlight === 0) return;
      await pause(100);
    }
  };
  /** Short rounds by turns: what else the machine has to do then meets both alike. */
  const block = async (name: string): Promise<number> => {
    const latencies = new Map<boolean, number[]>([
      [false, []],
      [true, []],
    ]);
    for (let pair = 0; pair < pairsPerBlock; pair++) {
      for (const swallow of pair % 2 === 0 ? [false, true] : [true, false]) {
        latencies.get(swallow)?.push(...(await round(`${name}-${pair}-${swallow ? 'with' : 'without'}`, swallow)));
      }
    }
    const [without, withIt] = [false, true].map((swallow) => {
      const all = latencies.get(swallow) ?? [];
      const p99 = percentile(all, 0.99);
      const kind = swallow ? 'with' : 'without';
      say(`${kind} the black hole: p50 ${median(all).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${all.length} claims`);
      return p99;
    });
    return (withIt ?? Number.NaN) / (without ?? Number.NaN);
  };
  try {
    await world.ask<null>({ order: 'behind-gate', prefix: 'silent', count: behindGate });
    await round('warm-up', false);
    const ratios: number[] = [];
    for (let index = 0; index < (sizes.rounds === 1 ? 1 : 3); index++) ratios.push(await block(`b${index}`));
    return median(ratios);
  } finally {
    await world.ask<null>({ order: 'swallow', on: false });
    await host.stop();
    await world.end();
  }
}

/** Puts events on the queue, as somebody does who can still see that cluster. The claims are gone again when it is asked. */
async function tell(host: LocalHost, prefix: string): Promise<void> {
  const cluster = nameOf(clusters - 1);
  const bodies = Array.from({ length: toldPerRound }, (_, index) => {
    const name = `${prefix}-${index}`;
    const data = { cluster, name, uid: name, resourceVersion: '1', deleting: false, observedBy: 'bridge' } as const;
    const about = { id: systemIds.next(), time: systemClock.now(), source: '/bench', subject: `${cluster}/${name}` };
    return eventBody('dev.poolwright.claim.changed.v1', data, about);
  });
  await host.services.events.send(bodies);
}

const nameOf = (index: number): string => `c${String(index + 1).padStart(3, '0')}`;

async function startHost({ cloud, clusters: urls }: Urls): Promise<LocalHost> {
  const config = resolveConfig({
    clusters: Object.fromEntries(urls.map((server, index) => [nameOf(index), { server }])),
    providers: { sim: { type: 'sim', url: cloud } },
    http: { port: 0 },
  });
  if (!config.ok) throw new Error(config.text);
  const directory = openDataDirectory(temporaryDirectory('black-hole'));
  const host = await startLocalHost({ config: config.config, directory, log: silentLog, version: 'bench' });
  if (!host.ok) throw new Error(host.error.message);
  return host.value;
}

async function startWorld() {
  const file = fileURLToPath(new URL('many-clusters-process.ts', import.meta.url));
  const child: ChildProcess = fork(file, [String(clusters)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  mustStay(child, 'the process with the clusters');
  const open = new Map<number, (value: never) => void>();
  let lastId = 0;
  const urls = await new Promise<Urls>((resolve) => {
    child.on('message', (told: { ready: Urls } | { id: number; value: never }) => {
      if ('ready' in told) return resolve(told.ready);
      open.get(told.id)?.(told.value);
      open.delete(told.id);
    });
  });
  type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
  return {
    urls,
    ask: <T>(order: Unnumbered<Order>): Promise<T> =>
      new Promise((resolve) => {
        const id = ++lastId;
        open.set(id, resolve);
        child.send({ ...order, id });
      }),
    end: () => endProcess(child, 'SIGKILL'),
  };
}

if (import.meta.main) await runBench([blackHole]);
