/**
 * Starts a stand-in for AWS on loopback: EC2 with instant fleets, and what of STS, SSM, IAM, Pricing and EKS is needed
 * beside it. One endpoint serves all services, because every request says in its signature which one it means.
 *
 * @example
 * const aws = await startAws({ kubelet: { clusterUrl: 'http://127.0.0.1:8001' } });
 * const ec2 = new EC2Client({ region: aws.region, endpoint: aws.url, credentials: aws.credentials });
 * aws.ledger(); // every instance that ever lived
 * await aws.close();
 */

import { type Clock, systemClock } from '../../shared/base/runtime.ts';
import type { LedgerEntry } from '../cloud/instance.ts';
import { findOverlaps, type Overlap } from '../cloud/overlaps.ts';
import type { FaultRules } from '../kit/faults.ts';
import { closeStandIn, type StandInStart, settleStandIn, standInParts } from '../kit/stand-in.ts';
import { type Account, type AccountOptions, makeAccount } from './account.ts';
import { type ActionFault, AwsApi } from './api.ts';
import { Buckets } from './buckets.ts';
import { CatalogCalls } from './catalog-calls.ts';
import type { EventMessage } from './event-messages.ts';
import { Fleets } from './fleets.ts';
import { Identities, mayDo, type RoleOptions, unauthorised } from './identities.ts';
import { type Ec2Instance, toLedger } from './instance.ts';
import { InstanceCalls } from './instance-calls.ts';
import { Launcher, noUserData } from './launch.ts';
import { type LaunchTemplate, LaunchTemplates } from './launch-templates.ts';
import { MachineRoom } from './machine-room.ts';
import { createAwsServer } from './server.ts';
import { ParameterCalls, ProfileCalls } from './services.ts';
import { type AwsSettings, defaultSettings } from './settings.ts';
import { machineTypes } from './types.ts';
import { AwsWorld } from './world.ts';

export interface AwsOptions extends AccountOptions, StandInStart {
  /** By which signatures and keys are checked: that of the SDK, unless a test says otherwise. */
  authClock?: Clock;
  settings?: Partial<AwsSettings>;
  /** What the caller whose keys are given out may not do, like `ec2:CreateFleet`. */
  denied?: readonly string[];
  roles?: readonly RoleOptions[];
  /** Called with everything that EventBridge would tell: state changes and spot warnings. */
  onMessage?: (message: EventMessage) => void;
}

export interface Aws {
  /** The endpoint of every service, and of the controls: `/faults`, `/ledger`, `/ledger/overlaps`, `/stats`, `/messages`, `/control/…`. */
  readonly url: string;
  readonly region: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  /** The same and the endpoint as the SDK's variables, for another process. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything that is there besides instances; a test may change it. */
  readonly account: Account;
  readonly living: number;
  /** Lets happen what is due by the clock, and waits until every kubelet has said what it has to say. */
  settle(): Promise<void>;
  setFaults(rules: FaultRules): void;
  /** The next calls of an action fail with a code. */
  failAction(fault: ActionFault): void;
  setBuckets(buckets: AwsSettings['buckets']): void;
  /** Resolves when so many requests, counted from the start, were left without an answer by a time-out fault. */
  held(count: number): Promise<void>;
  /** Every instance that ever existed, oldest first. */
  ledger(): LedgerEntry[];
  overlaps(): Overlap[];
  instance(id: string): Ec2Instance | undefined;
  templates(): readonly LaunchTemplate[];
  /** How often each was asked for, by `service:Action`, failures included. */
  calls(): Record<string, number>;
  /** Fleets ever made; tokens that came again, with the same and with other parameters; requests that found a bucket empty. */
  counts(): { fleets: number; repeatedTokens: number; mismatchedTokens: number; templates: number; throttled: number };
  messages(): readonly EventMessage[];
  /** Takes a machine back: the warning now, the end after the notice. */
  reclaim(instance: string, noticeSeconds?: number): boolean;
  /** The instance is gone, and nobody has asked for it. */
  vanish(instance: string): boolean;
  /** An instance that is somebody else's; returns its id. */
  launchForeign(name: string, tags?: Record<string, string>): string;
  /** Client tokens are past their time. */
  forgetTokens(): void;
  /** The keys of roles are past their time. */
  expireSessions(): void;
  close(): Promise<void>;
}

const accessKeyId = 'AKIASTANDIN';
const secretAccessKey = 'stand-in-for-a-secret';

/** Older messages are forgotten: a long run has many, and nobody reads them all. */
const mostMessages = 100_000;

export async function startAws(options: AwsOptions = {}): Promise<Aws> {
  const { clock, ids, log, latencyMs, faults, timeline, setFaults } = standInParts(options);
  const authClock = options.authClock ?? systemClock;
  const settings: AwsSettings = { ...defaultSettings, ...options.settings };
  const account = makeAccount(options);
  const types = new Map(account.types.map((type) => [type.name, type]));
  const messages: EventMessage[] = [];

  const world: AwsWorld = new AwsWorld({
    account,
    settings,
    timeline,
    ids,
    onNodeDue: (instance) => machines.look(instance),
    onMessage: (message) => {
      if (messages.length < mostMessages) messages.push(message);
      options.onMessage?.(message);
    },
  });
  const machines = new MachineRoom({
    timeline,
    region: account.region,
    settings,
    types: machineTypes(
      account.types,
      account.zones.map(({ name }) => name),
    ),
    clock,
    kubelet: options.kubelet,
    log,
  });
  const templates = new LaunchTemplates({
    ids,
    now: () => timeline.now,
    account: account.id,
    pageSize: settings.pageSize,
  });
  const launcher = new Launcher(world, settings, types);
  const fleets = new Fleets({
    world,
    settings,
    templates,
    launcher,
    faults,
    mayLaunch: () => {
      const { caller } = api;
      if (caller === undefined || mayDo(caller, 'ec2', 'RunInstances')) return undefined;
      return unauthorised(caller, 'ec2', 'RunInstances', `arn:aws:ec2:${account.region}:${account.id}:instance/*`);
    },
  });
  const identities = new Identities({ clock: authClock, ids, account: account.id, roles: options.roles ?? [] });
  identities.addKey(accessKeyId, 'poolwright', options.denied ?? []);
  const buckets = new Buckets(settings.buckets);
  const api: AwsApi = new AwsApi({
    account,
    world,
    settings,
    faults,
    identities,
    buckets,
    fleets,
    templates,
    instances: new InstanceCalls(world, settings, templates),
    catalog: new CatalogCalls(account, () => timeline.now, settings.pageSize),
    parameters: new ParameterCalls(account, clock),
    profiles: new ProfileCalls(account, clock, ids),
    clock,
    ids,
  });

  const ledger = (): LedgerEntry[] => {
    timeline.settle();
    return world.ledger.map(toLedger);
  };
  const overlaps = (): Overlap[] => findOverlaps(ledger());
  const calls = (): Record<string, number> => Object.fromEntries(api.calls);
  const counts: Aws['counts'] = () => {
    const { made, repeated, mismatched } = fleets.counts;
    return {
      fleets: made,
      repeatedTokens: repeated,
      mismatchedTokens: mismatched,
      templates: templates.made,
      throttled: api.throttled,
    };
  };
  const reclaim: Aws['reclaim'] = (id, noticeSeconds) => {
    const instance = world.find(id);
    return instance !== undefined && world.reclaim(instance, noticeSeconds);
  };
  const vanish: Aws['vanish'] = (id) => {
    const instance = world.find(id);
    if (instance === undefined || instance.record.goneAt !== null) return false;
    world.vanish(instance);
    return true;
  };
  const launchForeign: Aws['launchForeign'] = (name, tags = {}) => {
    const image = [...account.images.values()].find(({ arch }) => arch === 'x86_64');
    const subnet = [...account.subnets.values()][0];
    const type = account.types.find(({ arch }) => arch === 'x86_64');
    if (image === undefined || subnet === undefined || type === undefined)
      throw new Error('there is nothing to launch');
    const template = { id: 'lt-0foreign', name, createdAt: timeline.now, data: {}, tags: {} };
    const launch = { template, type, subnet, image, profileArn: undefined, securityGroups: [], userData: noUserData };
    const fleet = { id: 'fleet-foreign', token: undefined };
    const whole = { ...launch, lifecycle: 'on-demand' as const, reservation: undefined };
    return launcher.start(whole, { Name: name, ...tags }, fleet, []).id;
  };

  const server = createAwsServer({
    api,
    control: {
      faults,
      setFaults,
      ledger,
      overlaps,
      stats: () => ({ calls: calls(), living: world.living, ...counts() }),
      messages: () => messages,
      reclaim,
      vanish,
      launchForeign,
      setBuckets: (given) => buckets.set(given),
      forgetTokens: () => fleets.forgetTokens(),
    },
    ids,
    latencyMs,
    log,
  });
  const url = `http://127.0.0.1:${await server.listen(options.port ?? 0)}`;

  return {
    url,
    region: account.region,
    credentials: { accessKeyId, secretAccessKey },
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: account.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    account,
    get living() {
      return world.living;
    },
    settle: () => settleStandIn({ timeline, machines }),
    setFaults,
    failAction: (fault) => void api.actionFaults.push({ ...fault, left: fault.count ?? 1 }),
    setBuckets: (given) => buckets.set(given),
    held: (count) => server.held(count),
    ledger,
    overlaps,
    instance: (id) => world.find(id),
    templates: () => templates.all,
    calls,
    counts,
    messages: () => messages,
    reclaim,
    vanish,
    launchForeign,
    forgetTokens: () => fleets.forgetTokens(),
    expireSessions: () => identities.expireSessions(),
    close: closeStandIn({ timeline, machines, server }),
  };
}
