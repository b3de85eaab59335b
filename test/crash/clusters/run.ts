/**
 * The crash test of cluster requests: the host is killed with kill -9 while requests are made, changed and deleted at every stage. In the
 * end, what Azure's ledger says must be what the requests say.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Random, seededRandom } from '../../../shared/base/runtime.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { doubled, leaked, requestOf } from '../../../sim/aso/azure/ledger.ts';
import type { AsoSettingsInput } from '../../../sim/aso/settings.ts';
import { type ClustersWorld, startClustersWorld } from '../../../sim/scenes/azure-clusters.ts';
import { startManglingProxy } from '../mangling-proxy.ts';
import { type HostProcess, startHostProcess } from '../processes.ts';
import { type ManagementCluster, managementCluster, teams } from './cluster.ts';
import { clusterFaults } from './faults.ts';
import { askOutside } from './outside.ts';
import { requestChange, requestSpec } from './requests.ts';

export interface ClusterCrashOptions {
  requests: number;
  kills: number;
  seed: number;
}

interface Verdict {
  leaked: number;
  lost: number;
  stuck: number;
}

const lookMs = 500;
/** Some failures of stages, with their pauses, and deletions that wait for all of it. */
const quietSeconds = 600;
const machinesSeconds = 60;

const quick: AsoSettingsInput = {
  durations: {
    group: 0.2,
    identity: 0.2,
    cluster: 1.5,
    pool: 0.8,
    extension: 0.8,
    configuration: 0.5,
    small: 0.2,
    update: 0.6,
    delete: 0.8,
  },
  retries: { fast: [0.2, 1], slow: [0.3, 2], syncSeconds: 5, poll: [0.2, 0.5] },
  provisioningSeconds: 0.5,
  nodesSeconds: 0.3,
  conditionSeconds: 0.2,
};

export async function crashClusters(options: ClusterCrashOptions, say: (text: string) => void): Promise<boolean> {
  const started = performance.now();
  const { requests, kills: wanted, seed } = options;
  const random = seededRandom(seed);
  const base = mkdtempSync(join(tmpdir(), 'poolwright-crash-'));
  const azure = await startClustersWorld({
    directory: base,
    aso: { settings: quick, faults: clusterFaults(), seed },
    clusters: Array.from({ length: requests }, (_, index) => nameOf(index)),
    location: 'westeurope',
  });
  const { world } = azure;
  const proxy = await startManglingProxy(world.cluster.url, seededRandom(seed + 1));
  const cluster = managementCluster(world.cluster.url);
  const directory = join(base, 'host');
  mkdirSync(directory);
  const config = join(base, 'poolwright.json');
  writeFileSync(config, JSON.stringify(configFor(proxy.url, azure.provider, world.cloud.url)));
  let host = startHostProcess(directory, config, azure.env);
  let keep = true;
  try {
    const population = populate(options, cluster, random);
    population.catch(() => {});
    for (let kills = 0; kills < wanted; kills++) {
      await Promise.race([pause(500 + random() * 3500), host.failed]);
      await host.kill();
      say(`kill ${kills + 1}/${wanted}`);
      host = startHostProcess(directory, config, azure.env);
    }
    const deleted = await population;
    say(`${requests} requests made, ${deleted.size} of them deleted; waiting for quiet`);
    const first = await untilQuiet({ azure, cluster, host, deleted, say });
    const asked = await askOutside(azure, await cluster.requests());
    const until = performance.now() + machinesSeconds * 1000;
    while (world.cloud.living < asked && performance.now() < until) await pause(lookMs);
    say(`quiet; deleting the rest, with ${world.cloud.living} of ${asked} machines outside of Azure`);
    for (const { metadata } of await cluster.requests()) await cluster.remove(metadata.namespace, metadata.name);
    const everything = new Set(Array.from({ length: requests }, (_, index) => nameOf(index)));
    const second = await untilQuiet({ azure, cluster, host, deleted: everything, say });
    await host.stop();

    const twice = doubled(azure.ledger());
    const takenOver = azure.ledger().filter((one) => one.takenOver.length > 0);
    const verdict = {
      leaked: first.leaked + second.leaked,
      lost: first.lost,
      doubled: twice.length + takenOver.length,
      stuck: first.stuck + second.stuck,
    };
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      JSON.stringify({
        subject: 'clusters',
        requests,
        kills: wanted,
        ...verdict,
        seed,
        seconds,
        events: proxy.mangled,
      }),
    );
    if (twice.length > 0) say(`twice: ${JSON.stringify(twice.slice(0, 5))}`);
    if (takenOver.length > 0) say(`taken over: ${JSON.stringify(takenOver.slice(0, 5))}`);
    keep = Object.values(verdict).some((count) => count > 0);
    return !keep;
  } finally {
    await host.kill();
    cluster.close();
    await proxy.close();
    await azure.close();
    if (keep) say(`the details are in ${base}`);
    else rmSync(base, { recursive: true, force: true });
  }
}

const nameOf = (index: number): string => `crash-${index}`;

/** Makes the requests over a while; half of them are deleted, and a third changed, at a moment of their life that chance picks. */
async function populate(
  { requests, kills }: ClusterCrashOptions,
  cluster: ManagementCluster,
  random: Random,
): Promise<Set<string>> {
  const deleted = new Set<string>();
  const later: Promise<void>[] = [];
  const overMs = Math.max(1000, kills * 2250);
  for (let index = 0; index < requests; index++) {
    const [name, team] = [nameOf(index), teams[index % teams.length] as string];
    await cluster.create(team, name, requestSpec(random));
    if (random() < 0.3) {
      const change = requestChange(random);
      later.push(pause(random() * 8000).then(() => cluster.change(team, name, change)));
    }
    if (random() < 0.5) {
      deleted.add(name);
      later.push(pause(random() * 10_000).then(() => cluster.remove(team, name)));
    }
    await pause((overMs / requests) * 2 * random());
  }
  await Promise.all(later);
  return deleted;
}

interface Watched {
  azure: ClustersWorld;
  cluster: ManagementCluster;
  host: HostProcess;
  deleted: ReadonlySet<string>;
  say: (text: string) => void;
}

/** Waits until every request has come to its end, and until Azure and the operator have nothing that no request stands for. */
async function untilQuiet({ azure, cluster, host, deleted, say }: Watched): Promise<Verdict> {
  const deadline = performance.now() + quietSeconds * 1000;
  for (let looks = 0; ; looks++) {
    const requests = await cluster.requests();
    const going = requests.filter(({ metadata }) => deleted.has(metadata.name) || metadata.deletionTimestamp);
    const staying = requests.filter((one) => !going.includes(one));
    const unready = staying.filter((one) => !isReady(one));
    const uids = new Set(requests.map(({ metadata }) => metadata.uid));
    const ledger = azure.ledger();
    const orphans = leaked(ledger, uids);
    const objects = (await cluster.marked()).filter(({ uid }) => !uids.has(uid));
    const clusters = new Set(ledger.filter(isLivingCluster).map(requestOf));
    const without = staying.filter((one) => isReady(one) && !clusters.has(one.metadata.uid));
    // Machines outside of Azure do not end with their cluster: without a cluster they are nothing but a bill.
    const machines = requests.length === 0 ? azure.world.cloud.living : 0;
    const late = performance.now() > deadline;
    if (looks % 20 === 0 || late) {
      say(
        `${requests.length} requests (${unready.length} not Ready, ${going.length} going), ${clusters.size} clusters, ${orphans.length} resources and ${objects.length} objects without a request`,
      );
      for (const one of unready.slice(0, 3)) say(`  ${one.metadata.name}: ${whyNot(one)}`);
    }
    const open = going.length + unready.length + orphans.length + objects.length + without.length + machines;
    if (open === 0) return { leaked: 0, lost: 0, stuck: 0 };
    if (late) {
      for (const one of [...going, ...unready].slice(0, 5)) say(JSON.stringify({ ...one, spec: undefined }));
      for (const one of [...orphans, ...objects].slice(0, 5)) say(JSON.stringify(one));
      return {
        leaked: orphans.length + objects.length + machines,
        lost: without.length,
        stuck: going.length + unready.length,
      };
    }
    await Promise.race([pause(lookMs), host.failed]);
  }
}

const isLivingCluster = ({ type, goneAt }: { type: string; goneAt: number | null }): boolean =>
  goneAt === null && type === 'Microsoft.ContainerService/managedClusters';

/** For what it says now: the Ready of an older spec is none. */
const isReady = ({ metadata, status }: StoredRequest): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false);

const whyNot = ({ status }: StoredRequest): string => {
  const stage = status?.stages?.find(({ state }) => state !== 'Succeeded');
  const { reason, message } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
  return JSON.stringify({ reason, message, stage, retryAt: status?.retryAt }).slice(0, 600);
};

/** Everything that waits is short, so that a run ends in minutes; nothing is switched off. */
const configFor = (server: string, provider: object, cloud: string): object => ({
  deployment: 'crash-test',
  clusters: {
    sim: {
      server,
      resyncSeconds: 5,
      garbageCollection: { everySeconds: 5, graceSeconds: 3 },
      clusterRequests: { driftEvery: 10, retryAfter: 1, pollAtMost: 1, everySeconds: 2 },
    },
  },
  providers: { aks: { ...provider, deadlines: { launch: '30s' } }, sim: { type: 'sim', url: cloud } },
  http: { port: 0 },
  workflow: { retrySetAsideAfter: 5 },
  queue: { visibilitySeconds: 10 },
  log: { level: 'info' },
});
