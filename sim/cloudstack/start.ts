/**
 * Starts a stand-in for CloudStack on loopback: `/client/api` as a management server of 4.21 answers it, with an
 * administrator and a plain account.
 *
 * @example
 * const cloudstack = await startCloudStack({ kubelet: { clusterUrl: 'http://127.0.0.1:8001' } });
 * const client = createClient({ ...cloudstack.user, url: cloudstack.api });
 * cloudstack.ledger(); // every VM that ever lived
 * await cloudstack.close();
 */
import { type Clock, systemClock } from '../../shared/base/runtime.ts';
import type { LedgerEntry } from '../cloud/instance.ts';
import { findOverlaps, type Overlap } from '../cloud/overlaps.ts';
import type { FaultRules } from '../kit/faults.ts';
import type { KeyAndCertificate } from '../kit/self-signed.ts';
import { closeStandIn, type StandInStart, settleStandIn, standInParts } from '../kit/stand-in.ts';
import { CloudStackApi, type CommandFault, type Exchange } from './api.ts';
import type { Parts } from './calls/command.ts';
import type { Hands } from './control.ts';
import { launchForeign } from './foreign.ts';
import { makeHands } from './hands.ts';
import { CallLimit } from './identity/call-limit.ts';
import { Jobs } from './jobs.ts';
import { MachineRoom } from './machines/machine-room.ts';
import { claimUidOf, isLeftOver, toLedger, type Vm } from './machines/vm.ts';
import { apiPath, createCloudStackServer } from './server.ts';
import { type CloudStackSettings, defaultSettings } from './settings.ts';
import { makeSite, type SiteOptions } from './site/site.ts';
import type { Account, Site } from './site/types.ts';
import type { Volume } from './volumes.ts';
import { CloudStackWorld } from './world.ts';

export interface CloudStackOptions extends SiteOptions, StandInStart {
  /** By which signatures expire: that of the client's machine, unless a test says otherwise. */
  authClock?: Clock;
  settings?: Partial<CloudStackSettings>;
  /** With it the server speaks https. */
  certificate?: KeyAndCertificate;
  /** Called with every command and its answer. */
  onExchange?: (exchange: Exchange) => void;
}

/** No machine, and yet there. */
export interface Leftover {
  id: string;
  claimUid: string | null;
  goneAt: null;
}

export interface Keys {
  apiKey: string;
  secretKey: string;
}

export interface CloudStack {
  /** Of the controls: `/faults`, `/ledger`, `/ledger/overlaps`, `/stats`, `/control/…`. */
  readonly url: string;
  /** The endpoint of the API. */
  readonly api: string;
  readonly user: Keys;
  readonly admin: Keys;
  /** The endpoint and the keys of the plain account as the usual variables, for another process. */
  readonly env: Readonly<Record<string, string>>;
  readonly adminEnv: Readonly<Record<string, string>>;
  /** Everything that is there besides VMs; a test may change it. */
  readonly site: Site;
  /** A test may change it. */
  readonly settings: CloudStackSettings;
  readonly living: number;
  /** What happens to VMs without anybody calling the API. */
  readonly hands: Hands;
  /** Lets happen what is due by the clock, and waits until every kubelet has said what it has to say. */
  settle(): Promise<void>;
  setFaults(rules: FaultRules): void;
  /** The next calls of a command fail with a code. */
  failCommand(fault: CommandFault): void;
  setCallLimit(most: number | null, seconds?: number): void;
  /** Resolves when so many requests, counted from the start, were left without an answer by a time-out fault. */
  held(count: number): Promise<void>;
  /** Every VM that ever had a host, oldest first; `counts().leftovers` tells of deploys that came to nothing. */
  ledger(): LedgerEntry[];
  overlaps(): Overlap[];
  vm(id: string): Vm | undefined;
  /** Everything that is not expunged, failed and destroyed VMs with it. */
  vms(): Vm[];
  volumes(): Volume[];
  /** A disk that somebody made and attached. */
  keepVolume(volume: Volume): void;
  groups(): { id: string; name: string }[];
  instanceGroups(): { id: string; name: string }[];
  /** How often each command was asked for, failures included. */
  calls(): Record<string, number>;
  /** Requests that the limit turned away; jobs ever made; how many leftovers there are. */
  counts(): { throttled: number; jobs: number; leftovers: number };
  /** Parameters that no command has, as `command parameter`. */
  unknownParameters(): string[];
  /** Objects of failed deploys, and data disks that no VM has. */
  leftovers(): Leftover[];
  /** A VM that is somebody else's; returns its id. */
  launchForeign(name: string, tags?: Record<string, string>): string;
  close(): Promise<void>;
}

export async function startCloudStack(options: CloudStackOptions = {}): Promise<CloudStack> {
  const { clock, ids, log, latencyMs, faults, timeline, setFaults } = standInParts(options);
  const settings: CloudStackSettings = { ...defaultSettings, ...options.settings };
  const site = makeSite(options);
  const salt = ids.next();
  const machines = new MachineRoom({ timeline, settings, clock, kubelet: options.kubelet, log });
  const world = new CloudStackWorld({ site, settings, timeline, salt, onNodeDue: (vm) => machines.look(vm) });
  const jobs = new Jobs(timeline, salt, () => settings.jobKeptSeconds);
  const serverClock = options.authClock ?? systemClock;
  const limit = new CallLimit(settings.callLimit, settings.callLimitSeconds);
  const parts: Parts = { site, world, settings, jobs, machines };
  const api = new CloudStackApi({
    ...parts,
    faults,
    limit,
    clock,
    authClock: serverClock,
    onExchange: options.onExchange,
  });
  const hands = makeHands(parts);

  // Numbered anew: whoever reads it in pages counts on there being no gaps.
  const lived = (): Vm[] => {
    timeline.settle();
    return world.ledger.filter(({ stillborn }) => !stillborn);
  };
  const ledger = (): LedgerEntry[] =>
    lived().map((vm, index) => ({ ...toLedger(vm), seq: index + 1, ...(isLeftOver(vm) ? { goneAt: null } : {}) }));
  const overlaps = (): Overlap[] => findOverlaps(lived().map(toLedger));
  const calls = (): Record<string, number> => Object.fromEntries(api.calls);
  const counts: CloudStack['counts'] = () => ({
    throttled: limit.refused,
    jobs: jobs.made,
    leftovers: leftovers().length,
  });
  const leftovers = (): Leftover[] => {
    timeline.settle();
    const of = (id: string, claimUid: string | undefined) => ({ id, claimUid: claimUid ?? null, goneAt: null });
    return [
      ...[...world.shown].filter(isLeftOver).map((vm) => of(vm.id, claimUidOf(vm))),
      ...[...world.volumes.values()].filter(({ vm }) => vm === undefined).map(({ id }) => of(id, undefined)),
    ];
  };
  const setCallLimit: CloudStack['setCallLimit'] = (most, seconds = 1) => {
    settings.callLimit = most;
    settings.callLimitSeconds = seconds;
    limit.set(most, seconds);
  };
  const foreign: CloudStack['launchForeign'] = (name, tags = {}) => launchForeign(parts, name, tags);

  const server = createCloudStackServer({
    api,
    control: {
      faults,
      setFaults,
      ledger,
      overlaps,
      stats: () => ({
        calls: calls(),
        lastCalls: Object.fromEntries(api.lastCalls),
        living: world.living,
        ...counts(),
      }),
      hands,
      leftovers,
      launchForeign: foreign,
      setCallLimit,
      setCapacity: (capacity) => {
        settings.capacity = capacity;
      },
    },
    latencyMs,
    certificate: options.certificate,
    now: () => serverClock.now(),
    log,
  });
  const scheme = options.certificate === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${await server.listen(options.port ?? 0)}`;
  const keysOf = (role: Account['role']): Keys => {
    const account = [...site.accounts.values()].find((one) => one.role === role);
    return { apiKey: account?.apiKey ?? '', secretKey: account?.secretKey ?? '' };
  };
  const [user, admin] = [keysOf('User'), keysOf('Root Admin')];
  const envOf = ({ apiKey, secretKey }: Keys): Record<string, string> => ({
    CLOUDSTACK_API_URL: `${url}${apiPath}`,
    CLOUDSTACK_API_KEY: apiKey,
    CLOUDSTACK_SECRET_KEY: secretKey,
  });

  return {
    url,
    api: `${url}${apiPath}`,
    user,
    admin,
    env: envOf(user),
    adminEnv: envOf(admin),
    site,
    settings,
    get living() {
      return world.living;
    },
    hands,
    settle: () => settleStandIn({ timeline, machines }),
    setFaults,
    failCommand: (fault) => void api.commandFaults.push({ ...fault, left: fault.count ?? 1 }),
    setCallLimit,
    held: (count) => server.held(count),
    ledger,
    overlaps,
    vm: (id) => world.everFound(id),
    vms: () => [...world.shown],
    volumes: () => [...world.volumes.values()],
    keepVolume: (volume) => {
      world.volumes.set(volume.id, volume);
    },
    groups: () => [...world.groups.values()].map(({ id, name }) => ({ id, name })),
    instanceGroups: () => [...world.instanceGroups.values()].map(({ id, name }) => ({ id, name })),
    calls,
    counts,
    unknownParameters: () => [...api.unknownParameters],
    leftovers,
    launchForeign: foreign,
    close: closeStandIn({ timeline, machines, server }),
  };
}
