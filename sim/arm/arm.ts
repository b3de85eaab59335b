/**
 * A stand-in for Azure Resource Manager as far as whole clusters need it, on loopback: resource groups, identities, roles, clusters, pools,
 * extensions and their tags. Behind it is the Azure of the stand-in for the operator, so that one world serves both.
 *
 * @example
 * const arm = await startArm({ settings: instantly });
 * // endpoint arm.url, authority host arm.url, both trusted by arm.certificate
 * doubled(arm.azure.ledger()); // was anything there twice?
 * await arm.close();
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Ids, systemClock, systemIds } from '../../shared/base/runtime.ts';
import { AzureStore } from '../aso/azure/store.ts';
import { AzureWorld } from '../aso/azure/world.ts';
import { type AsoFaultRule, AsoFaults } from '../aso/faults.ts';
import { NewClusters } from '../aso/new-clusters/new-clusters.ts';
import { type AsoSettingsInput, asoSettings } from '../aso/settings.ts';
import { Entra } from '../azure/identity/entra.ts';
import { defaultPrincipal, type Principal, Tokens } from '../azure/identity/tokens.ts';
import { type KeyAndCertificate, selfSigned } from '../kit/self-signed.ts';
import { ArmCallHandler } from './calls.ts';
import { type ArmFaultRule, ArmFaults } from './faults.ts';
import { ArmServer } from './server.ts';
import { Upkeep } from './upkeep.ts';

export interface ArmOptions {
  /** Where Azure and the new clusters are kept; without one, nowhere. */
  directory?: string;
  /** Those of the operator's Azure: how long things take, what is offered. */
  settings?: AsoSettingsInput;
  faults?: readonly ArmFaultRule[];
  /** In new clusters: `provisioning`. */
  clusterFaults?: readonly AsoFaultRule[];
  seed?: number;
  clock?: Clock;
  ids?: Ids;
  /** 0, the default, takes a free one. */
  port?: number;
  pageSize?: number;
  /** Made on the spot when not given. */
  certificate?: KeyAndCertificate;
  /** The world of an operator that runs already. It is not closed with this. */
  world?: { azure: AzureWorld; clusters: NewClusters };
  /** False where a test moves the clock. */
  wakeByItself?: boolean;
  log?: (message: string, fields: Record<string, unknown>) => void;
}

export interface Arm {
  /** ARM, and the authority host. Https. */
  readonly url: string;
  /** PEM: what a client has to trust. */
  readonly certificate: string;
  readonly subscription: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly secret: string;
  readonly azure: AzureWorld;
  readonly clusters: NewClusters;
  /** How often each was asked, such as `PUT Microsoft.ContainerService/managedClusters`. */
  calls(): Readonly<Record<string, number>>;
  /** Replaces all rules. */
  setFaults(rules: unknown): void;
  /** Lets happen in new clusters what is due by the clock. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const usualPageSize = 1000;

export async function startArm(options: ArmOptions = {}): Promise<Arm> {
  const { directory, clock = systemClock, ids = systemIds, seed = 1, log = () => {}, wakeByItself = true } = options;
  const settings = asoSettings(options.settings);
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const azure =
    options.world?.azure ??
    new AzureWorld({
      store: new AzureStore(directory === undefined ? ':memory:' : join(directory, 'azure.db')),
      clock,
      tenant: settings.tenant,
      rules: { versions: settings.versions, locations: settings.locations },
    });
  const clusters =
    options.world?.clusters ?? new NewClusters({ azure, directory, clock, changed: () => upkeep.changed() });
  const faults = new ArmFaults(seed, options.faults);
  const clusterFaults = new AsoFaults(seed, options.clusterFaults);
  const upkeep: Upkeep = new Upkeep(
    { azure, clusters, settings, faults: clusterFaults, clock },
    wakeByItself && options.world === undefined,
  );
  const certificate = options.certificate ?? selfSigned('poolwright stand-in for Azure Resource Manager');
  const principal: Principal = { objectId: '44444444-4444-4444-8444-444444444444', denied: [], ...defaultPrincipal };
  const place = { url: '' };
  const url = (): string => place.url;
  // Tokens end by the clock of the SDK that keeps them.
  const tokens = new Tokens({ clock: systemClock, ids, principals: [principal] });
  const server = new ArmServer({
    handler: new ArmCallHandler({ azure, clusters, settings, pageSize: options.pageSize ?? usualPageSize, url }),
    faults,
    tokens,
    entra: new Entra({
      tokens,
      principals: [principal],
      clock: systemClock,
      wallClock: systemClock,
      ids,
      tokenSeconds: 3599,
      url,
    }),
    url,
    ids,
    certificate,
    log,
  });
  if (options.world === undefined) await clusters.startAll();
  place.url = `https://127.0.0.1:${await server.listen(options.port ?? 0)}`;
  return {
    url: place.url,
    certificate: certificate.cert,
    subscription: settings.subscription,
    tenant: principal.tenant,
    clientId: principal.clientId,
    secret: principal.secret ?? '',
    azure,
    clusters,
    calls: () => Object.fromEntries(server.calls),
    setFaults: (rules) => faults.replace(rules),
    settle: () => upkeep.settle(),
    close: async () => {
      await server.close();
      await upkeep.close();
      if (options.world !== undefined) return;
      await clusters.close();
      azure.close();
    },
  };
}
