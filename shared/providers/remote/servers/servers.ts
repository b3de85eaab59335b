/** The provider servers of the configuration: a connection to each with the first call, and what each can do. */
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import { systemTimers, type Timers } from '../../../base/timers.ts';
import type { Capabilities, MachineDriver } from '../../../drivers/contract.ts';
import { notSupported } from '../../../drivers/contract.ts';
import type { Channel, ChannelOptions } from '../../../drivers/grpc/channel.ts';
import { type ConnectionOptions, connectDriver } from '../../../drivers/grpc/connect.ts';
import { wayCodes } from '../../../drivers/grpc/status.ts';
import { Lookups } from '../../calls/lookups.ts';
import type { ProviderContext } from '../../context.ts';

export interface ServersOptions {
  servers: ReadonlyMap<string, ConnectionOptions>;
  capabilitySeconds: number;
}

/** What tests set. */
export interface RemoteTuning {
  open?(options: ChannelOptions): Channel;
  timers?: Timers;
  pageSize?: number;
}

type Opened = { driver: MachineDriver };

/** A server that knows the protocol without this call. */
const ofOldServers: Capabilities = {
  reconfigureOnline: false,
  growDiskOnline: false,
  snapshots: false,
  memorySnapshots: false,
  linkedClones: false,
  imageImport: false,
  diskExport: false,
  diskImport: false,
  exportCompression: false,
  keepsTags: false,
  createsByName: false,
  diskTypes: [],
  networkTypes: [],
  exportFormats: [],
  importFormats: [],
  exportBackends: [],
  importBackends: [],
  transferModes: [],
};

export class Servers {
  readonly #options: ServersOptions;
  readonly #context: ProviderContext;
  readonly #tuning: RemoteTuning;
  readonly #opened = new Map<string, Opened>();
  readonly #lookups: Lookups;

  constructor(options: ServersOptions, context: ProviderContext, tuning: RemoteTuning) {
    this.#options = options;
    this.#context = context;
    this.#tuning = tuning;
    this.#lookups = new Lookups(context, { cloud: 'the provider server', scope: 'remote' });
  }

  get names(): readonly string[] {
    return [...this.#options.servers.keys()];
  }

  has(server: string): boolean {
    return this.#options.servers.has(server);
  }

  addressOf(server: string): string {
    return this.#options.servers.get(server)?.address ?? '';
  }

  isPlaintext(server: string): boolean {
    return this.#options.servers.get(server)?.tls === undefined;
  }

  driver(server: string): Result<MachineDriver> {
    const known = this.#opened.get(server);
    if (known !== undefined) return ok(known.driver);
    const connection = this.#options.servers.get(server);
    if (connection === undefined)
      return failed('not-ready', this.unknown(server), { reason: 'ProviderServerNotFound' });
    const { clock, random, calls } = this.#context;
    const { timers = systemTimers, open } = this.#tuning;
    try {
      const driver = connectDriver(connection, { clock, random, timers, ...defined({ reports: calls, open }) });
      this.#opened.set(server, { driver });
      return ok(driver);
    } catch (error) {
      // A file that was there when the configuration was read.
      const message = `provider server ${server}: its certificates cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return failed('not-ready', message, { reason: wayCodes.tls });
    }
  }

  unknown(server: string): string {
    const hint = didYouMean(server, this.names);
    return `the configuration has no provider server ${JSON.stringify(server)}${hint} (known: ${this.names.join(', ')})`;
  }

  /** Asked once for a while; while a server cannot be asked, what it said before. */
  async capabilities(server: string, signal: AbortSignal): Promise<Result<Capabilities>> {
    const driver = this.driver(server);
    if (!driver.ok) return driver;
    const connection = this.#options.servers.get(server);
    const about = { server, address: connection?.address };
    const read = async (stop: AbortSignal): Promise<Result<Json>> => {
      const said = await driver.value.capabilities(stop);
      if (said.ok) return ok(said.value as unknown as Json);
      if (said.error.code === notSupported) return ok(ofOldServers as unknown as Json);
      return said;
    };
    const said = await this.#lookups.ask('capabilities', about, this.#options.capabilitySeconds, read, signal);
    return said.ok ? ok(said.value as unknown as Capabilities) : named(server, said.error);
  }

  close(): void {
    this.#lookups.close();
    for (const { driver } of this.#opened.values()) void driver.close();
    this.#opened.clear();
  }
}

/** With the server's name, and as the reason what is in the way there. */
export function named(server: string, failure: Failure): Result<never> {
  const reason = failure.reason ?? (isWayCode(failure.code) ? failure.code : undefined);
  return {
    ok: false,
    error: { ...failure, message: `provider server ${server}: ${failure.message}`, ...defined({ reason }) },
  };
}

const isWayCode = (code: string | undefined): boolean =>
  code !== undefined && (Object.values(wayCodes) as string[]).includes(code);
