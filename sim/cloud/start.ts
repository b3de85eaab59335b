/**
 * Starts a simulated cloud on loopback.
 *
 * @example
 * const cloud = await startSimCloud({ file: '.poolwright/cloud.db', kubelet: { clusterUrl: 'http://127.0.0.1:8001' } });
 * // … POST to `${cloud.url}/instances` …
 * cloud.overlaps(); // were there ever two instances at once for one claim?
 * await cloud.close();
 */
import { defined } from '../../shared/base/defined.ts';
import { type Clock, type Ids, systemClock, systemIds } from '../../shared/base/runtime.ts';
import type { StorageError } from '../../shared/platforms/sqlite/sqlite.ts';
import { FaultBook, type FaultRules, faultRulesSchema, type Operation } from '../kit/faults.ts';
import { CloudApi } from './api.ts';
import { type Catalog, defaultCatalog } from './catalog.ts';
import { Cloud } from './cloud.ts';
import { type LedgerEntry, toLedger } from './instance.ts';
import { Kubelets } from './kubelet.ts';
import { httpNodeApi, type KubeletAccess, type KubeletHook } from './node-api.ts';
import { findOverlaps, type Overlap } from './overlaps.ts';
import { CloudServer } from './server.ts';
import { type CloudSettings, defaultSettings } from './settings.ts';
import { CloudStore } from './store.ts';

export interface SimCloudOptions extends Partial<CloudSettings> {
  /** A path, or ':memory:' (the default). */
  file?: string;
  /** 0, the default, takes a free one. */
  port?: number;
  clock?: Clock;
  ids?: Ids;
  /** The same seed, clock and requests give the same faults. */
  seed?: number;
  /** When given, they replace the rules that an earlier run has stored. */
  faults?: FaultRules;
  catalog?: Catalog;
  /** Real milliseconds before each answer. */
  latencyMs?: number;
  /** Where machines join. Without it they run, and no cluster ever hears of them. */
  kubelet?: KubeletHook | KubeletAccess;
  /** How many machines may talk to the cluster at once. */
  kubeletConcurrency?: number;
  /** False where a test moves the clock: things then happen at the next request or `settle()`. */
  wakeByItself?: boolean;
  log?: (message: string, fields: Record<string, unknown>) => void;
  /** The store has failed; nothing that is not stored was answered. */
  onFatal?: (error: StorageError) => void;
}

export interface SimCloud {
  readonly url: string;
  readonly port: number;
  /** How often each operation was asked for, failures included. */
  readonly calls: Readonly<Record<Operation, number>>;
  readonly living: number;
  /** Lets happen what is due by the clock, and waits until every kubelet has said what it has to say. */
  settle(): Promise<void>;
  setFaults(rules: FaultRules): Promise<void>;
  /** Resolves when so many requests, counted from the start, were left without an answer by a time-out fault. */
  held(count: number): Promise<void>;
  /** Every instance that ever existed, oldest first. */
  ledger(): LedgerEntry[];
  overlaps(): Overlap[];
  close(): Promise<void>;
}

/** Longer timers overflow in Node. */
const longestTimerMs = 2 ** 31 - 1;
const ledgerPage = 5000;

export async function startSimCloud(options: SimCloudOptions = {}): Promise<SimCloud> {
  const clock = options.clock ?? systemClock;
  const seed = options.seed ?? 1;
  const log = options.log ?? (() => {});
  const catalog = options.catalog ?? defaultCatalog;
  const settings = settingsFrom(options);
  const store = new CloudStore(options.file ?? ':memory:', (error) => {
    log('the simulated cloud can no longer store its state', { error });
    options.onFatal?.(error);
  });
  const faults = new FaultBook(seed, options.faults ?? []);
  const stored = store.fact('faults');
  if (options.faults === undefined && stored !== undefined) faults.fromStored(stored);

  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  const wakeAt = (at: number): void => {
    if (closed || options.wakeByItself === false || at >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at;
    timer = setTimeout(wake, Math.min(Math.max(0, at - clock.now()), longestTimerMs));
  };
  const wake = (): void => {
    wakesAt = Number.POSITIVE_INFINITY;
    cloud.settle();
    if (cloud.nextAt !== undefined) wakeAt(cloud.nextAt);
  };

  const cloud: Cloud = new Cloud({
    settings,
    catalog,
    store,
    clock,
    ids: options.ids ?? systemIds,
    seed,
    onNodeDue: (record) => kubelets?.look(record),
    onPlanned: wakeAt,
    onLost: (error) => log('a change of the simulated cloud was not stored', { error }),
  });
  const kubelets =
    options.kubelet === undefined
      ? undefined
      : new Kubelets({
          api: 'clusterUrl' in options.kubelet ? httpNodeApi(options.kubelet) : options.kubelet,
          settings,
          types: cloud.types,
          clock,
          ...defined({ concurrency: options.kubeletConcurrency }),
          reached: (record, stage) => cloud.nodeStageReached(record, stage),
          lookAgainAt: (record, at) => cloud.planNode(record, at),
          log,
        });
  const expectLags = (): void => {
    for (const rule of faults.rules) if (rule.do.kind === 'lag') cloud.expectLag(rule.do.seconds);
  };
  expectLags();
  cloud.load();
  const nothingDue = (): boolean => (cloud.nextAt ?? Number.POSITIVE_INFINITY) > clock.now();
  // What happens may plan more, but only when it is stored: so everything that is due takes a few rounds.
  const catchUp = async (): Promise<void> => {
    do {
      cloud.settle();
      store.flush();
      await Promise.resolve();
    } while (!nothingDue());
  };
  await catchUp();

  const setFaults = async (rules: unknown): Promise<void> => {
    faults.replace(faultRulesSchema.parse(rules));
    expectLags();
    await store.setFact('faults', faults.toStored());
  };
  const ledger = (): LedgerEntry[] => {
    cloud.settle();
    const entries: LedgerEntry[] = [];
    for (let after = 0; ; ) {
      const page = store.page(after, ledgerPage);
      for (const record of page) entries.push(toLedger(record));
      const last = page.at(-1);
      if (last === undefined || page.length < ledgerPage) return entries;
      after = last.seq;
    }
  };
  const overlaps = (): Overlap[] => findOverlaps(ledger());
  const api = new CloudApi({ cloud, store, faults, clock, catalog });
  const server = new CloudServer({
    api,
    cloud,
    store,
    faults,
    setFaults,
    overlaps,
    latencyMs: options.latencyMs ?? 0,
    log,
  });
  const rest = (): void => {
    closed = true;
    clearTimeout(timer);
    kubelets?.close();
  };
  const port = await server.listen(options.port ?? 0).catch((error: unknown) => {
    // A second try on another port must not find this one's kubelets still at work on the same machines.
    rest();
    store.close();
    throw error;
  });

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls: api.calls,
    get living() {
      return cloud.living;
    },
    settle: async () => {
      do {
        await catchUp();
        await kubelets?.idle();
      } while (!nothingDue());
    },
    setFaults,
    held: (count) => server.held(count),
    ledger,
    overlaps,
    close: async () => {
      if (closed) return;
      rest();
      await server.close();
      store.close();
    },
  };
}

function settingsFrom(options: SimCloudOptions): CloudSettings {
  const given = Object.entries(defaultSettings).map(([key, value]) => {
    const chosen = options[key as keyof CloudSettings];
    return [key, chosen === undefined ? value : chosen];
  });
  return Object.fromEntries(given) as CloudSettings;
}
