/** Requests for clusters in a simulated management cluster, and the real host that carries them out. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../shared/base/json.ts';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { type AsoSettingsInput, instantly } from '../../sim/aso/settings.ts';
import type { SeenRequest } from '../../sim/cluster/server.ts';
import { startWorld, type World } from '../../sim/scenes/sim.ts';
import type { Bench } from '../figure.ts';
import { type HostProcess, hostAgent, startHost } from './host.ts';
import { removeDirectory, temporaryDirectory } from './leftovers.ts';
import { median } from './statistics.ts';

const root = '/apis/poolwright.dev/v1alpha1';
const namespace = 'team-a';
/** The longest way: every stage that a request can have with nodes for pods. */
const spec = {
  location: 'westeurope',
  kubernetesVersion: '1.35',
  identity: { federatedCredentials: [{ name: 'app', serviceAccount: 'shop/app' }] },
  gitOps: { url: 'https://git.example/fleet', public: true },
};

/** The Lease is renewed whatever happens; questions about rights are a POST, and nothing is stored of them. */
const storesNothing = /\/leases\/|\/authorization\.k8s\.io\//;

interface Scene {
  host: HostProcess;
  create(name: string): Promise<void>;
  /** Names of requests that are Ready, and of those whose cluster is being made. */
  standings(): Promise<{ ready: string[]; making: string[] }>;
  /** Of the host, since the last question. */
  writes(): number;
}

async function onScene<T>(settings: AsoSettingsInput, act: (scene: Scene) => Promise<T>): Promise<T> {
  const directory = temporaryDirectory('clusters');
  let writes = 0;
  const onRequest = ({ method, path, userAgent }: SeenRequest): void => {
    if (method !== 'GET' && userAgent.startsWith(hostAgent) && !storesNothing.test(path)) writes += 1;
  };
  const world = await startWorld({ directory: join(directory, 'world'), aso: { settings }, onRequest });
  const client = createHttpClient({ baseUrl: world.cluster.url, userAgent: 'bench' });
  const ask = async (method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> => {
    const answer = await client.request({ method, path, timeoutMs: 60_000, ...(body === undefined ? {} : { body }) });
    if (!answer.ok || answer.status >= 300) throw new Error(`${method} ${path} was refused`);
    return answer.json() ?? null;
  };
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const host = await startHost(join(directory, 'host'), worldOf(world));
  try {
    return await act({
      host,
      create: async (name) => {
        const object = { apiVersion: 'poolwright.dev/v1alpha1', kind: 'ClusterRequest', metadata: { name }, spec };
        await ask('POST', `${root}/namespaces/${namespace}/clusterrequests`, object);
      },
      standings: async () =>
        standingsIn((await ask('GET', `${root}/clusterrequests`)) as unknown as { items: Listed[] }),
      writes: () => {
        const seen = writes;
        writes = 0;
        return seen;
      },
    });
  } finally {
    await host.kill();
    client.close();
    await world.close();
    removeDirectory(directory);
  }
}

const worldOf = ({ cluster, cloud }: World) => ({
  clusterUrl: cluster.url,
  providers: { sim: { type: 'sim' as const, url: cloud.url } },
  makesClusters: true,
});

interface Listed {
  metadata: { name: string };
  status?: { stage?: string; conditions?: { type: string; status: string }[] };
}

function standingsIn({ items }: { items: Listed[] }): Awaited<ReturnType<Scene['standings']>> {
  const isReady = ({ status }: Listed) =>
    status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  const names = (list: Listed[]) => list.map(({ metadata }) => metadata.name);
  return {
    ready: names(items.filter(isReady)),
    making: names(items.filter((one) => one.status?.stage === 'ManagedCluster')),
  };
}

/** One after the other, so that none waits for another. The first also pays for what is loaded once. */
export const oneByOne = (bench: Bench): Promise<{ seconds: number; writes: number }> =>
  bench.once('cluster requests one by one', () =>
    onScene(instantly, async ({ create, standings, writes }) => {
      const [times, counts]: [number[], number[]] = [[], []];
      const rounds = bench.sizes.rounds + 1;
      for (let index = 0; index < rounds; index++) {
        writes();
        const since = performance.now();
        await create(`one-${index}`);
        while ((await standings()).ready.length <= index) await pause(10);
        times.push((performance.now() - since) / 1000);
        // What follows the last stage at once belongs to it.
        await pause(300);
        counts.push(writes());
      }
      bench.say(`until Ready: ${times.map((one) => one.toFixed(2)).join(', ')} s; writes: ${counts.join(', ')}`);
      return { seconds: median(times.slice(1)), writes: median(counts.slice(1)) };
    }),
  );

/** Long enough that the last has begun before the first cluster is there. */
const clusterSeconds = 120;
const giveUpSeconds = 1800;

export const requestsAtOnce = (bench: Bench): Promise<{ ready: number }> =>
  bench.once('cluster requests at once', () => {
    const settings = { ...instantly, durations: { ...instantly.durations, cluster: clusterSeconds } };
    return onScene(settings, async ({ host, create, standings }) => {
      const count = bench.sizes.few;
      const since = performance.now();
      const seconds = () => (performance.now() - since) / 1000;
      for (let index = 0; index < count; index++) await create(`many-${index}`);
      let most = 0;
      let ready = 0;
      while (ready < count && seconds() < giveUpSeconds) {
        await pause(1000);
        const now = await standings();
        most = Math.max(most, now.making.length);
        ready = now.ready.length;
      }
      bench.say(
        `${count} requests: ${most} clusters were being made at once, ${ready} Ready after ${seconds().toFixed(0)} s, resident memory ${host.memory().peak.toFixed(0)} MB at most`,
      );
      return { ready: ready / count };
    });
  });
