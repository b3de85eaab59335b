/**
 * Starts a stand-in for Azure on loopback: ARM with the agent pools of AKS and Arc, Entra ID, managed identities, prices.
 *
 * @example
 * const azure = await startAzure({ kubelet: { clusterUrl: 'http://127.0.0.1:8001' } });
 * // endpoint azure.url, authority host azure.authority, both trusted by azure.certificate; then with any Azure SDK:
 * // new ContainerServiceClient(credential, azure.subscription, { endpoint: azure.url, tlsOptions: { ca: azure.certificate } })
 * azure.ledger(); // every pool that ever lived
 * await azure.close();
 */

import { type Clock, systemClock } from '../../shared/base/runtime.ts';
import { findOverlaps, type Overlap } from '../cloud/overlaps.ts';
import type { FaultRules } from '../kit/faults.ts';
import { type KeyAndCertificate, selfSigned } from '../kit/self-signed.ts';
import { closeStandIn, type StandInStart, settleStandIn, standInParts } from '../kit/stand-in.ts';
import { aksRequest } from './aks-body.ts';
import { ArmApi } from './api.ts';
import { arcRequest } from './arc-body.ts';
import { CatalogCalls } from './catalog/catalog-calls.ts';
import { retailPrices, spotPrice } from './catalog/prices.ts';
import { QuotaCheck } from './catalog/quota.ts';
import { type ArcSize, type AzureSize, defaultArcSizes, defaultSizes, machineTypes } from './catalog/sizes.ts';
import { ClusterCalls } from './cluster-calls.ts';
import { type AzureCluster, type AzureClusterOptions, clusterFrom, defaultClusters } from './clusters.ts';
import { armHandlers } from './handlers.ts';
import { Entra } from './identity/entra.ts';
import { defaultPrincipal, type Principal, type PrincipalOptions, type TokenCheck, Tokens } from './identity/tokens.ts';
import { MachineRoom } from './machine-room.ts';
import { type PoolLedgerEntry, type PoolRequest, poolId, toLedger } from './pool.ts';
import { PoolCalls } from './pool-calls.ts';
import type { CallKind } from './routes.ts';
import { AzureServer } from './server.ts';
import { type AzureSettings, defaultSettings } from './settings.ts';
import { AzureWorld } from './world.ts';

export interface AzureOptions extends StandInStart {
  /** By which tokens end: that of the SDK, which keeps them for as long as they are good, unless a test says otherwise. */
  tokenClock?: Clock;
  controlPort?: number;
  settings?: Partial<AzureSettings>;
  /** One of each kind when not given. */
  clusters?: readonly AzureClusterOptions[];
  principals?: readonly PrincipalOptions[];
  sizes?: readonly AzureSize[];
  arcSizes?: readonly ArcSize[];
  /** Made on the spot when not given. */
  certificate?: KeyAndCertificate;
}

export interface Azure {
  /** ARM, and the host of the retail prices. Https. */
  readonly url: string;
  /** For `AZURE_AUTHORITY_HOST`. The SDK must not ask the real one whether it is genuine (disableInstanceDiscovery). */
  readonly authority: string;
  /** PEM: what a client has to trust. */
  readonly certificate: string;
  /** Plain http: `/faults`, `/ledger`, `/ledger/overlaps`, `/stats`, `/control/…`. */
  readonly control: string;
  /** What makes managed identities come here, in the environment of the one who asks: as a machine, or as an app. */
  readonly machineIdentity: Readonly<Record<string, string>>;
  readonly appIdentity: Readonly<Record<string, string>>;
  readonly tenant: string;
  readonly clientId: string;
  readonly secret: string;
  readonly subscription: string;
  readonly clusters: readonly AzureCluster[];
  readonly living: number;
  /** The sum of the times that all ended operations of pools took, in milliseconds. */
  readonly busyMs: number;
  /** Lets happen what is due by the clock, and waits until every kubelet has said what it has to say. */
  settle(): Promise<void>;
  setFaults(rules: FaultRules): void;
  /** Resolves when so many requests, counted from the start, were left without an answer by a time-out fault. */
  held(count: number): Promise<void>;
  /** Every pool that ever existed, oldest first. */
  ledger(): PoolLedgerEntry[];
  overlaps(): Overlap[];
  /** How often each was asked for, failures included. */
  calls(): Partial<Record<CallKind, number>>;
  /** All of those that go to ARM. */
  armCalls(): number;
  /** A pool that is somebody else's, ready and with its machine; returns its ARM id. In the first cluster unless told. */
  makeForeignPool(name: string, where?: { cluster?: string; body?: object }): string;
  /** The pool is gone, and no operation has removed it. */
  vanish(name: string, where?: { cluster?: string }): boolean;
  /** An operation that is none of ours, of the whole cluster, until it is ended or the seconds are over. */
  beginOperation(options?: { cluster?: string; what?: string; seconds?: number }): { end(): void };
  /** Every token that was given out is void. */
  revokeTokens(): void;
  /** For a cluster that believes the same tokens. */
  checkToken(authorization: string | undefined): TokenCheck;
  close(): Promise<void>;
}

export async function startAzure(options: AzureOptions = {}): Promise<Azure> {
  const { clock, ids, log, latencyMs, faults, timeline, setFaults } = standInParts(options);
  const settings: AzureSettings = { ...defaultSettings, ...options.settings };
  const sizes = options.sizes ?? defaultSizes;
  const arcSizes = options.arcSizes ?? defaultArcSizes;
  const bySize = new Map(sizes.map((size) => [size.name.toLowerCase(), size]));
  const byArcSize = new Map(arcSizes.map((size) => [size.name.toLowerCase(), size]));
  const clusters = (options.clusters ?? defaultClusters).map(clusterFrom);
  const principals = (options.principals ?? [defaultPrincipal]).map(principalFrom);
  const locations = [...new Set(clusters.map(({ location }) => location))];
  const certificate = options.certificate ?? selfSigned('poolwright stand-in for Azure');

  const world: AzureWorld = new AzureWorld({
    settings,
    clock,
    timeline,
    ids,
    priceOf: ({ vmSize, capacityType }) => {
      const price = bySize.get(vmSize.toLowerCase())?.price ?? null;
      return price !== null && capacityType === 'spot' ? spotPrice(price) : price;
    },
    onNodeDue: (record) => machines.look(record),
    onPreemption: (record) => machines.announce(record),
  });
  const machines = new MachineRoom({
    world,
    clusters,
    settings,
    types: machineTypes(sizes, arcSizes),
    clock,
    kubelet: options.kubelet,
    log,
  });

  const place = { url: '', control: '' };
  const url = () => place.url;
  const tokenClock = options.tokenClock ?? systemClock;
  const tokens = new Tokens({ clock: tokenClock, ids, principals });
  const entra = new Entra({
    tokens,
    principals,
    clock: tokenClock,
    wallClock: systemClock,
    ids,
    tokenSeconds: settings.tokenSeconds,
    url,
  });
  const quota = new QuotaCheck({ world, settings, sizes: bySize });
  const pools = new PoolCalls({ world, settings, sizes: bySize, arcSizes: byArcSize, quota, url });
  const api = new ArmApi({
    world,
    handlers: armHandlers({
      clusters,
      pools,
      clusterCalls: new ClusterCalls({ world, pools, tokens }),
      catalog: new CatalogCalls({ world, settings, sizes, arcSizes, quota, faults, locations, url }),
    }),
    faults,
    tokens,
    clock,
    settings,
    authority: () => `${place.url}/${principals[0]?.tenant ?? ''}`,
    audiences: () => ['https://management.azure.com', 'https://management.core.windows.net', place.url],
  });

  const ledger = (): PoolLedgerEntry[] => {
    world.settle();
    return world.ledger.map(toLedger);
  };
  const overlaps = (): Overlap[] => findOverlaps(ledger());
  const calls = (): Partial<Record<CallKind, number>> => Object.fromEntries(api.calls);
  /** By its name or its id; the first one when nobody says which. */
  const clusterNamed = (name: string | undefined): AzureCluster | undefined =>
    name === undefined ? clusters[0] : clusters.find((one) => one.name === name || one.id === name);
  const makeForeignPool: Azure['makeForeignPool'] = (name, where = {}) => {
    const cluster = clusterNamed(where.cluster);
    if (cluster === undefined) throw new Error(`there is no cluster ${where.cluster}`);
    if (world.find(cluster, name) !== undefined) throw new Error(`there is a pool ${name} already`);
    return poolId(world.adopt(cluster, name, foreignRequest(cluster, where.body)));
  };
  const foreignRequest = (cluster: AzureCluster, body: object = {}): PoolRequest => {
    const request =
      cluster.kind === 'aks'
        ? aksRequest({ properties: { vmSize: sizes[0]?.name ?? '' }, ...body }, bySize, cluster.location, undefined)
        : arcRequest({ properties: { vmSize: arcSizes[0]?.name ?? '' }, ...body }, cluster, byArcSize, undefined);
    if ('problem' in request) throw new Error(request.problem.message);
    return request.request;
  };
  const vanish: Azure['vanish'] = (name, where = {}) => {
    const cluster = clusterNamed(where.cluster);
    const pool = cluster === undefined ? undefined : world.find(cluster, name);
    if (pool !== undefined) world.vanish(pool);
    return pool !== undefined;
  };

  const server = new AzureServer({
    api,
    entra,
    control: {
      faults,
      setFaults,
      ledger,
      overlaps,
      stats: () => ({ calls: { ...calls() }, living: world.living, busyMs: world.operations.busyMs }),
      beginOperation: (name, what, seconds) => {
        const cluster = clusterNamed(name);
        return cluster === undefined ? undefined : world.beginForeign(cluster, what, seconds).id;
      },
      endOperation: (id) => {
        const operation = world.operations.find(id);
        if (operation?.kind !== 'foreign' || operation.status !== 'InProgress') return false;
        world.endForeign(operation);
        return true;
      },
      makeForeignPool: (name, pool) => {
        const cluster = clusterNamed(name);
        if (cluster === undefined || world.find(cluster, pool) !== undefined) return undefined;
        return makeForeignPool(pool, { cluster: name });
      },
      vanish: (cluster, name) => vanish(name, { cluster }),
    },
    prices: (query) => retailPrices(query, { sizes, locations, pageSize: settings.pageSize, url: place.url }),
    certificate,
    ids,
    latencyMs,
    log,
  });
  const ports = await server.listen(options.port ?? 0, options.controlPort ?? 0);
  place.url = `https://127.0.0.1:${ports.port}`;
  place.control = `http://127.0.0.1:${ports.controlPort}`;
  const [principal] = principals;

  return {
    url: place.url,
    authority: place.url,
    certificate: certificate.cert,
    control: place.control,
    machineIdentity: { AZURE_POD_IDENTITY_AUTHORITY_HOST: place.control },
    appIdentity: { IDENTITY_ENDPOINT: `${place.control}/msi/token`, IDENTITY_HEADER: entra.appHeader },
    tenant: principal?.tenant ?? '',
    clientId: principal?.clientId ?? '',
    secret: principal?.secret ?? '',
    subscription: clusters[0]?.subscription ?? '',
    clusters,
    get living() {
      return world.living;
    },
    get busyMs() {
      return world.operations.busyMs;
    },
    settle: () => settleStandIn({ timeline, machines }),
    setFaults,
    held: (count) => server.held(count),
    ledger,
    overlaps,
    calls,
    armCalls: () =>
      [...api.calls].reduce(
        (sum, [kind, count]) => (kind === 'tokens' || kind === 'prices.list' ? sum : sum + count),
        0,
      ),
    makeForeignPool,
    vanish,
    beginOperation: ({ cluster: name, what = 'Upgrading', seconds } = {}) => {
      const cluster = clusterNamed(name);
      if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
      const operation = world.beginForeign(cluster, what, seconds ?? null);
      return { end: () => world.endForeign(operation) };
    },
    revokeTokens: () => tokens.revoke(),
    checkToken: (authorization) => tokens.check(authorization),
    close: closeStandIn({ timeline, machines, server }),
  };
}

const principalFrom = (given: PrincipalOptions): Principal => ({
  objectId: given.clientId.replaceAll('3', '4'),
  denied: [],
  ...given,
});
