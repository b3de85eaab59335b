/**
 * `npm run crash-test -- --host local|azure|aws --provider sim|aks|arc|ec2|cloudstack|remote --claims N --kills K --seed S`
 * `npm run crash-test -- --subject clusters --requests N --kills K --seed S`
 * `npm run crash-test -- --subject vms --machines N --kills K --seed S`
 *
 * Cloud and cluster run in a process of their own; the host is killed with kill -9 at random moments and started again.
 * Claims are created and deleted meanwhile, at every step of launch; one provider call in ten fails; events are doubled,
 * lost and re-ordered. In the end one line of JSON says what went wrong; the exit code is 0 only if nothing did.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installExtra } from '../../scripts/extra-packages.ts';
import { type Random, seededRandom } from '../../shared/base/runtime.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { AzureHostOptions } from './azure-host.ts';
import { crashCloud, machineTaskTime } from './clouds.ts';
import { type CrashCluster, crashCluster } from './cluster.ts';
import { startManglingProxy } from './mangling-proxy.ts';
import { type CrashOptions, readOptions } from './options.ts';
import { type HostProcess, startHostProcess, startWorldProcess, type WorldProcess } from './processes.ts';
import { freePort, type ProviderServer, startProviderServer } from './provider-server.ts';

const lookMs = 500;

interface Verdict {
  leaked: number;
  lost: number;
  doubled: number;
  stuck: number;
}

async function crashTest(options: CrashOptions, say: (text: string) => void): Promise<boolean> {
  const started = performance.now();
  const random = seededRandom(options.seed);
  const base = mkdtempSync(join(tmpdir(), 'poolwright-crash-'));
  const cloud = crashCloud(options);
  const simulated = await startWorldProcess(join(base, 'world'), options.provider, cloud.settings);
  const { world, server } = await withServer(base, simulated);
  const proxy = await startManglingProxy(world.cluster, seededRandom(options.seed + 1));
  const cluster = crashCluster(world.cluster, world.cloud, cloud);
  const dataDirectory = join(base, 'host');
  mkdirSync(dataDirectory);
  const config = join(base, 'poolwright.json');
  writeFileSync(config, JSON.stringify(configFor(options, proxy.url, cloud.provider(world))));
  const env = world.standIn?.env ?? {};
  const { seed } = options;
  const functions = await functionsHost(options, {
    directory: dataDirectory,
    config,
    clusterUrl: proxy.url,
    env,
    seed,
  });
  const launchHost = (): HostProcess => functions?.launch() ?? startHostProcess(dataDirectory, config, env);
  let host = launchHost();
  let keep = false;
  try {
    await cluster.createNodeClass();
    const population = populate(options, cluster, random);
    let done = false;
    population.finally(() => {
      done = true;
    });
    let kills = 0;
    while (kills < options.kills) {
      await Promise.race([pause(500 + random() * 3500), host.failed]);
      // Both, or one of them, where there is a server to kill.
      const which = server === undefined ? 0 : random();
      if (which > 0.33) await server?.kill();
      if (which < 0.67) {
        await host.kill();
        host = launchHost();
      }
      if (which > 0.33) server?.start();
      kills++;
      say(`kill ${kills}/${options.kills}${done ? '' : ', claims are still being made'}`);
    }
    const deleted = await population;
    say(`${options.claims} claims made, ${deleted.size} of them deleted; waiting for quiet`);

    const first = await untilQuiet(cluster, host, deleted, cloud.quietSeconds, say);
    say('quiet; deleting the rest');
    for (const claim of await cluster.claims()) await cluster.deleteClaim(claim.metadata.name);
    const everything = new Set(Array.from({ length: options.claims }, (_, index) => nameOf(index)));
    const second = await untilQuiet(cluster, host, everything, cloud.quietSeconds, say);
    await host.stop();

    const overlaps = await cluster.overlaps();
    const verdict: Verdict = {
      leaked: first.leaked + second.leaked,
      lost: first.lost,
      doubled: overlaps.length,
      stuck: first.stuck + second.stuck,
    };
    const { claims } = options;
    const how = howOf(options);
    const seconds = Math.round((performance.now() - started) / 1000);
    const on = functions ? { host: options.host, died: functions.died } : {};
    console.log(JSON.stringify({ claims, kills, ...verdict, seed, ...on, ...how, seconds, events: proxy.mangled }));
    const good = verdict.leaked + verdict.lost + verdict.doubled + verdict.stuck === 0;
    keep = !good;
    if (overlaps.length > 0) say(`overlaps: ${JSON.stringify(overlaps.slice(0, 5))}`);
    return good;
  } catch (error) {
    keep = true;
    throw error;
  } finally {
    await host.kill();
    await functions?.close();
    cluster.close();
    await proxy.close();
    await server?.kill();
    await world.stop();
    if (keep) say(`the details are in ${base}`);
    else rmSync(base, { recursive: true, force: true });
  }
}

/** The server before the machines of the scene, where that is a process of its own. */
async function withServer(
  base: string,
  world: WorldProcess,
): Promise<{ world: WorldProcess; server: ProviderServer | undefined }> {
  const { file } = world;
  if (file === undefined) return { world, server: undefined };
  const port = await freePort();
  const server = startProviderServer(base, { file, port, taskTime: machineTaskTime });
  return { world: { ...world, provider: `127.0.0.1:${port}` }, server };
}

/** Functions of a cloud, on stand-ins for all that the cloud itself keeps; none for the host that is one process. */
async function functionsHost({ host, provider }: CrashOptions, parts: AzureHostOptions) {
  if (host === 'local') return undefined;
  await installExtra('test/peers');
  if (host === 'azure') return (await import('./azure-host.ts')).azureHost(parts);
  return (await import('./aws-host.ts')).awsHost({ ...parts, provider });
}

/** What the run was told beside its sizes, for the last line. */
function howOf({ provider, idempotency, atOnce }: CrashOptions): object {
  if (provider === 'sim') return { idempotency };
  if (provider === 'cloudstack' || provider === 'remote') return { provider, idempotency };
  return provider === 'ec2' ? { provider } : { provider, atOnce };
}

const nameOf = (index: number): string => `crash-${index}`;

/** Makes the claims over a while, and deletes half of them at a moment of their launch that chance picks. */
async function populate(options: CrashOptions, cluster: CrashCluster, random: Random): Promise<Set<string>> {
  const deleted = new Set<string>();
  const deletions: Promise<void>[] = [];
  // As long as the kills take, so that they meet claims in every state.
  const overMs = Math.max(1000, options.kills * 2250);
  for (let index = 0; index < options.claims; index++) {
    const name = nameOf(index);
    await cluster.createClaim(name, random() < 0.5);
    if (random() < 0.5) {
      deleted.add(name);
      const after = random() * 4000;
      deletions.push(pause(after).then(() => cluster.deleteClaim(name)));
    }
    await pause((overMs / options.claims) * 2 * random());
  }
  await Promise.all(deletions);
  return deleted;
}

/**
 * Waits until every claim has come to its end and the cloud has nothing that no claim stands for; what has not by the
 * time limit is counted.
 */
async function untilQuiet(
  cluster: CrashCluster,
  host: HostProcess,
  deleted: ReadonlySet<string>,
  seconds: number,
  say: (text: string) => void,
): Promise<Omit<Verdict, 'doubled'>> {
  const deadline = performance.now() + seconds * 1000;
  for (let looks = 0; ; looks++) {
    const claims = await cluster.claims();
    const going = claims.filter((claim) => deleted.has(claim.metadata.name) || claim.metadata.deletionTimestamp);
    const staying = claims.filter((claim) => !going.includes(claim));
    const unready = staying.filter((claim) => !isReady(claim));
    const uids = new Set(claims.map((claim) => claim.metadata.uid));
    const living = await cluster.living();
    const orphans = living.filter(({ claimUid }) => !claimUid || !uids.has(claimUid));
    const nodes = await cluster.nodes();
    const late = performance.now() > deadline;
    if (looks % 20 === 0 || late) {
      say(
        `${claims.length} claims (${unready.length} not Ready, ${going.length} going), ${living.length} instances, ${orphans.length} without a claim, ${nodes} nodes`,
      );
    }
    const settled = going.length === 0 && unready.length === 0 && orphans.length === 0 && nodes === staying.length;
    if (settled) return { leaked: 0, lost: 0, stuck: 0 };
    if (late) {
      for (const claim of [...going, ...unready].slice(0, 5)) say(JSON.stringify({ ...claim, spec: undefined }));
      for (const orphan of orphans.slice(0, 5)) say(JSON.stringify(orphan));
      const lost = unready.filter((claim) => !saysWhy(claim)).length;
      const nodesTooMany = Math.abs(nodes - staying.length);
      return { leaked: orphans.length, lost, stuck: going.length + unready.length - lost + nodesTooMany };
    }
    await Promise.race([pause(lookMs), host.failed]);
  }
}

const isReady = (claim: StoredClaim): boolean =>
  claim.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

const saysWhy = (claim: StoredClaim): boolean =>
  claim.status?.conditions?.some(({ status, message }) => status !== 'True' && message !== '') ?? false;

/** Everything that waits is short, so that a run ends in minutes; nothing is switched off. */
const configFor = ({ provider: name }: CrashOptions, server: string, provider: object): object => ({
  deployment: 'crash-test',
  clusters: {
    sim: {
      server,
      resyncSeconds: 2,
      garbageCollection: { everySeconds: 2, graceSeconds: 3, maxDeletesAtLeast: 20 },
    },
  },
  providers: { [name]: provider },
  http: { port: 0 },
  workflow: { retrySetAsideAfter: 5 },
  queue: { visibilitySeconds: 10 },
  // Azure's refusals speak for an hour: longer than anybody waits here, and the sizes of a small catalog are used up by then.
  offerings: { unavailableSeconds: 3, unavailableAtMost: 3, refreshSeconds: 5 },
  retry: { firstPause: 1, maxPause: 5 },
  lifecycle: { restoreHorizon: '10m', lookAgain: 2 },
  log: { level: 'info' },
});

const usage =
  'Usage: npm run crash-test -- --host local|azure|aws --provider sim|aks|arc|ec2|cloudstack|remote --claims N --kills K --seed S [--at-once N], or --subject clusters --requests N --kills K --seed S';
('Usage: npm run crash-test -- --host local|azure|aws --provider sim|aks|arc|ec2|cloudstack --claims N --kills K --seed S [--at-once N], or --subject clusters --requests N --kills K --seed S, or --subject vms --machines N --kills K --seed S');

const options = readOptions(process.argv.slice(2));
if ('problem' in options) {
  console.error(`${options.problem}\n${usage}`);
  process.exit(2);
}
const say = (text: string): void => {
  if (options.verbose || process.stderr.isTTY) process.stderr.write(`${text}\n`);
};
const crash = async (): Promise<boolean> => {
  if (options.subject === 'clusters') return (await import('./clusters/run.ts')).crashClusters(options, say);
  if (options.subject === 'vms') return (await import('./machines/run.ts')).crashMachines(options, say);
  return crashTest(options, say);
};
process.exit((await crash()) ? 0 : 1);
