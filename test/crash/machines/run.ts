/**
 * The crash test of virtual machines: host and provider server are killed with kill -9 while machines are made, changed, lost and deleted. In the end, what
 * the hypervisor has must be what the objects say, and it never had two machines of one object at a time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Random, seededRandom, systemClock } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../shared/drivers/mock/options.ts';
import { machineName } from '../../../shared/machines/core/name.ts';
import type { VirtualMachine } from '../../../shared/machines/core/objects.ts';
import { startManglingProxy } from '../mangling-proxy.ts';
import { type HostProcess, startHostProcess, startWorldProcess } from '../processes.ts';
import { type MachineCluster, machineCluster, providerName, team } from './cluster.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { startProviderProcess } from './provider-process.ts';

export interface MachineCrashOptions {
  machines: number;
  kills: number;
  seed: number;
}

interface Verdict {
  leaked: number;
  lost: number;
  stuck: number;
}

const lookMs = 500;
const quietSeconds = 300;
const nameOf = (index: number): string => `crash-${index}`;

export async function crashMachines(options: MachineCrashOptions, say: (text: string) => void): Promise<boolean> {
  const started = performance.now();
  const { machines, kills: wanted, seed } = options;
  const random = seededRandom(seed);
  const base = mkdtempSync(join(tmpdir(), 'poolwright-crash-'));
  const world = await startWorldProcess(join(base, 'world'), 'sim', {});
  const proxy = await startManglingProxy(world.cluster, seededRandom(seed + 1));
  const cluster = machineCluster(world.cluster);
  const directory = join(base, 'host');
  mkdirSync(directory);
  const file = join(base, 'hypervisor.db');
  // Its tables, before the triggers.
  await mockDriver({ ...mockDefaults, file }, { clock: systemClock, timers: systemTimers, random }).close();
  const ledger = openLedger(file, `${team}-`);
  const config = join(base, 'poolwright.json');
  const provider = await startProviderProcess(base, file);
  writeFileSync(config, JSON.stringify(configFor(proxy.url, world.cloud, provider.endpoint)));
  await cluster.prepare();
  let host = startHostProcess(directory, config, {});
  let keep = true;
  try {
    const population = populate(options, cluster, ledger, random);
    population.catch(() => {});
    for (let kills = 0; kills < wanted; kills++) {
      await Promise.race([pause(500 + random() * 3500), host.failed]);
      const what = random();
      if (what > 0.35) await host.kill();
      if (what < 0.65) await provider.restart();
      say(`kill ${kills + 1}/${wanted}: ${what > 0.65 ? 'the host' : what < 0.35 ? 'the provider server' : 'both'}`);
      if (what > 0.35) host = startHostProcess(directory, config, {});
    }
    const { deleted, lost } = await population;
    say(`${machines} machines asked for, ${deleted.size} of them deleted, ${lost} taken away; waiting for quiet`);
    const first = await untilQuiet({ cluster, ledger, host, deleted, say });
    for (const { metadata } of await cluster.objects()) await cluster.remove(metadata.name);
    const everything = new Set(Array.from({ length: machines }, (_, index) => nameOf(index)));
    const second = await untilQuiet({ cluster, ledger, host, deleted: everything, say });
    await host.stop();

    const twice = overlaps(ledger);
    const verdict = {
      leaked: first.leaked + second.leaked,
      lost: first.lost,
      doubled: twice.length,
      stuck: first.stuck + second.stuck,
    };
    const seconds = Math.round((performance.now() - started) / 1000);
    const made = ledger.made().length;
    const how = { made, taken: lost, seed, seconds, events: proxy.mangled };
    console.log(JSON.stringify({ subject: 'vms', machines, kills: wanted, ...verdict, ...how }));
    if (twice.length > 0) say(`twice: ${JSON.stringify(twice.slice(0, 5))}`);
    keep = Object.values(verdict).some((count) => count > 0);
    return !keep;
  } finally {
    await host.kill();
    await provider.stop();
    ledger.close();
    cluster.close();
    await proxy.close();
    await world.stop();
    if (keep) say(`the details are in ${base}`);
    else rmSync(base, { recursive: true, force: true });
  }
}

/** Makes the machines over a while; half of them are deleted, a third changed, and some taken away, at a moment that chance picks. */
async function populate(
  { machines, kills }: MachineCrashOptions,
  cluster: MachineCluster,
  ledger: Ledger,
  random: Random,
): Promise<{ deleted: Set<string>; lost: number }> {
  const deleted = new Set<string>();
  const later: Promise<unknown>[] = [];
  const overMs = Math.max(1000, kills * 2250);
  let lost = 0;
  for (let index = 0; index < machines; index++) {
    const name = nameOf(index);
    const disks = random() < 0.5 ? [{ name: 'data', sizeGiB: 10 }] : [];
    await cluster.create(name, { disks, powerState: random() < 0.8 ? 'On' : 'Off' });
    if (random() < 0.3) {
      const change = { resources: { cpu: 4 }, powerState: random() < 0.5 ? 'On' : 'OffGraceful' };
      later.push(pause(random() * 8000).then(() => cluster.change(name, change)));
    }
    if (random() < 0.5) {
      deleted.add(name);
      later.push(pause(random() * 10_000).then(() => cluster.remove(name)));
    } else if (random() < 0.15) {
      later.push(
        pause(3000 + random() * 8000).then(() => {
          const machine = ledger.made().find((one) => one.name.startsWith(`${team}-${name}-`) && one.goneAt === null);
          if (machine === undefined) return;
          ledger.lose(machine.id);
          lost += 1;
        }),
      );
    }
    await pause((overMs / machines) * 2 * random());
  }
  await Promise.all(later);
  return { deleted, lost };
}

interface Watched {
  cluster: MachineCluster;
  ledger: Ledger;
  host: HostProcess;
  deleted: ReadonlySet<string>;
  say: (text: string) => void;
}

/** Waits until every object has come to its end, and the hypervisor has exactly their machines. */
async function untilQuiet({ cluster, ledger, host, deleted, say }: Watched): Promise<Verdict> {
  const deadline = performance.now() + quietSeconds * 1000;
  for (let looks = 0; ; looks++) {
    const objects = await cluster.objects();
    const going = objects.filter(({ metadata }) => deleted.has(metadata.name) || metadata.deletionTimestamp);
    const staying = objects.filter((one) => !going.includes(one));
    const unready = staying.filter((one) => !isReady(one));
    const living = ledger.made().filter(({ goneAt }) => goneAt === null);
    const names = new Set(objects.map(({ metadata }) => machineName(metadata)));
    const orphans = living.filter(({ name }) => !names.has(name));
    const ids = new Set(living.map(({ id }) => id));
    const without = staying.filter((one) => isReady(one) && !ids.has(one.status?.id ?? ''));
    const late = performance.now() > deadline;
    if (looks % 20 === 0 || late) {
      say(
        `${objects.length} objects (${unready.length} not Ready, ${going.length} going), ${living.length} machines, ${orphans.length} without an object, ${without.length} objects without a machine`,
      );
    }
    if (going.length + unready.length + orphans.length + without.length === 0) return { leaked: 0, lost: 0, stuck: 0 };
    if (late) {
      for (const one of [...going, ...unready, ...without].slice(0, 5)) say(JSON.stringify(one));
      for (const one of orphans.slice(0, 5)) say(JSON.stringify(one));
      return { leaked: orphans.length, lost: without.length, stuck: going.length + unready.length };
    }
    await Promise.race([pause(lookMs), host.failed]);
  }
}

/** Two machines of one name at a time. */
function overlaps(ledger: Ledger): object[] {
  const byName = Map.groupBy(ledger.made(), ({ name }) => name);
  return [...byName.values()].flatMap((all) =>
    all.flatMap((one, index) => {
      const next = all[index + 1];
      return next !== undefined && (one.goneAt === null || one.goneAt > next.madeAt) ? [{ one, next }] : [];
    }),
  );
}

/** For what it says now: the Ready of an older spec is none. */
const isReady = ({ metadata, status }: VirtualMachine): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false);

/** Everything that waits is short, so that a run ends in minutes; nothing is switched off. */
const configFor = (server: string, cloud: string, endpoint: string): object => ({
  deployment: 'crash-test',
  clusters: {
    sim: {
      server,
      resyncSeconds: 5,
      machines: {
        everySeconds: 2,
        pollAtMost: 1,
        retryAfter: 1,
        grace: 2,
        createAtMost: 3,
        lateness: 2,
        servers: { [`${team}/${providerName}`]: { endpoint, plaintext: true } },
      },
    },
  },
  providers: { sim: { type: 'sim', url: cloud } },
  http: { port: 0 },
  workflow: { retrySetAsideAfter: 5 },
  queue: { visibilitySeconds: 10 },
  log: { level: 'info' },
});
