/** The remote provider with its real client, before the mock behind the calls of the protocol, with a clock that is moved by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../shared/base/json.ts';
import { failed, type Result } from '../../../shared/base/result.ts';
import { manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import { systemTimers, type Timers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import type { Answered, Channel } from '../../../shared/drivers/grpc/channel.ts';
import { handlersOf } from '../../../shared/drivers/grpc/handlers.ts';
import { codeOf, type ServerSaid } from '../../../shared/drivers/grpc/status.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../shared/drivers/mock/options.ts';
import { type CallName, providerService } from '../../../shared/drivers/protocol/service.ts';
import type { OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import { assembleRemote } from '../../../shared/providers/remote/assemble.ts';
import { readRemoteOptions } from '../../../shared/providers/remote/options.ts';
import type { RemoteProvider } from '../../../shared/providers/remote/provider.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import type { Injection, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { value } from './requests.ts';

export type ServerKind = 'ours' | 'others';

export interface RemoteHarness extends ProviderHarness {
  provider: RemoteProvider;
  anotherProvider(): RemoteProvider;
  driver: MachineDriver;
  clock: ReturnType<typeof manualClock>;
  context: ProviderContext;
  /** Calls of the protocol, in their order. */
  calls: CallName[];
}

const server = 'lab';
const offering: OfferingRef = { instanceType: 'medium', zone: 'zone-a', capacityType: 'on-demand' };
const spec = {
  provider: server,
  zones: [{ name: 'zone-a', placement: { cluster: 'a' } }, { name: 'zone-b' }],
  sizes: [
    { name: 'medium', cpu: 2, memory: '4Gi', price: 0.05 },
    { name: 'large', cpu: 8, memory: '32Gi', gpu: { count: 1, type: 'l4' } },
  ],
  image: { templateName: 'ubuntu' },
  networks: [{ name: 'lan' }],
  disks: [{ name: 'root', sizeGiB: 40, type: 'thin' }],
  userData: '#cloud-config\n# {{ poolwright.node.provider-id }}\n',
};

const nameIsOwner = "a machine's name is made of its owner, so nothing of others has it";
export const remoteUnderTest = (kind: ServerKind): ProviderUnderTest => ({
  idempotency: kind === 'ours' ? 'name' : 'none',
  tellsPauses: true,
  excluded:
    kind === 'ours'
      ? {
          'never touches a foreign thing of the same name': nameIsOwner,
          'calls the work of another deployment or cluster under the same claim uid a conflict, or makes its own':
            nameIsOwner,
        }
      : {
          'makes another instance for every begin, and find shows them all':
            'the machine is looked for by its name before each create, so the first work is found',
        },
  injections: [
    'lose-answer',
    'lose-request',
    'late-effect',
    'hold',
    'throttle',
    'sold-out',
    'unauthorised',
    'server-error',
    'garble',
    'shut-down',
    // The mock has no locks and no quotas, and no server says that an error did nothing.
  ],
  start: () => startRemoteHarness(kind),
});

const on: Record<string, readonly CallName[]> = {
  create: ['Create'],
  delete: ['Delete'],
  get: ['ListVMs', 'Describe'],
  list: ['ListVMs'],
};

type Armed = { calls: readonly CallName[]; times: number; injection: Injection };

export async function startRemoteHarness(
  kind: ServerKind,
  more: {
    driver?: (driver: MachineDriver) => MachineDriver;
    spec?: object;
    options?: object;
    /** Over sockets, which lead nowhere. */
    realChannel?: boolean;
  } = {},
): Promise<RemoteHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-remote-'));
  const clock = manualClock();
  const parts = { clock, timers: systemTimers, random: seededRandom(1) };
  const mock = mockDriver({ ...mockDefaults, seeded: false, file: join(folder, 'mock.db') }, parts);
  const driver = more.driver?.(mock) ?? (kind === 'ours' ? mock : likeOthers(mock));
  const handlers = handlersOf(driver);
  const context = testContext({ clock });
  const calls: CallName[] = [];
  const late: { at: number; run(): Promise<unknown> }[] = [];
  let armed: Armed | undefined;
  let isDown = false;
  const held = Promise.withResolvers<void>();

  async function serve<C extends CallName>(name: C, request: object, signal: AbortSignal): Promise<Answered<C>> {
    const definition = providerService[name];
    const received = definition.requestDeserialize(definition.requestSerialize(request));
    const answer = await handlers[name](received, signal);
    if (!answer.ok) {
      const { message, kind: of, retryAfterSeconds } = answer.error;
      const said = { code: codeOf(answer.error), details: message, ...(kind === 'ours' ? { kind: of } : {}) };
      return refused(retryAfterSeconds === undefined ? said : { ...said, retryAfterSeconds });
    }
    return { ok: true, value: definition.responseDeserialize(definition.responseSerialize(answer.value)) };
  }

  const channel: Channel = {
    close: () => undefined,
    call: async (name, request, { signal }) => {
      calls.push(name);
      if (signal.aborted) return refused({ code: 1, details: 'the caller gave up' }, true);
      if (isDown) return refused({ code: 14, details: 'No connection established. Last error: connect ECONNREFUSED' });
      const serveNow = () => serve(name, request, new AbortController().signal);
      if (armed === undefined || !armed.calls.includes(name)) return serveNow();
      const { injection } = armed;
      if (--armed.times <= 0) armed = undefined;
      const broken = refused<typeof name>({ code: 14, details: 'Connection dropped' });
      switch (injection.do) {
        case 'lose-answer':
          await serveNow();
          return broken;
        case 'lose-request':
          return broken;
        case 'late-effect':
          late.push({ at: clock.now() + injection.seconds * 1000, run: serveNow });
          return broken;
        case 'hold': {
          held.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return refused({ code: 1, details: 'the caller gave up' }, true);
        }
        case 'throttle': {
          const { retryAfterSeconds } = injection;
          const said = { code: 8, details: 'slow down', kind: 'throttled' };
          return refused(retryAfterSeconds === undefined ? said : { ...said, retryAfterSeconds });
        }
        case 'sold-out':
          return refused({ code: 2, details: 'insufficient resources to start the machine' });
        case 'unauthorised':
          return refused({ code: 7, details: 'permission denied' });
        case 'server-error':
          return refused({ code: 13, details: 'oops' });
        case 'garble':
          return refused({ code: 13, details: 'Failed to decode the response' });
        default:
          throw new Error(`the mock does no such thing: ${injection.do}`);
      }
    },
  };

  const timers: Timers = {
    after: (_, callback) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const options: Json = {
    servers: { [server]: { endpoint: '127.0.0.1:1', plaintext: true, rate: { qps: 1e6, burst: 1e6 } } },
    createsByName: kind === 'ours',
    // The mock shows what there is.
    listLagSeconds: 0,
    ...more.options,
  };
  const providers: RemoteProvider[] = [];
  const anotherProvider = (): RemoteProvider => {
    const read = value(readRemoteOptions(options, {}, 'dev'));
    const provider = assembleRemote(read, context, {
      ...(more.realChannel
        ? {}
        : { open: ({ address }: { address: string }) => (address.startsWith('127.0.0.1:') ? channel : away) }),
      timers,
      pageSize: 2,
    });
    providers.push(provider);
    return provider;
  };
  const nodeClass = { ...spec, ...more.spec } as unknown as Json;
  return {
    driver: mock,
    clock,
    context,
    calls,
    provider: anotherProvider(),
    anotherProvider,
    nodeClass: { name: 'default', spec: nodeClass },
    wrongNodeClass: { spec: { ...spec, netwrks: [] } as unknown as Json, field: 'netwrks' },
    offering,
    advance: async (seconds) => {
      clock.advance(Math.ceil(seconds * 1000));
      for (const effect of late.filter(({ at }) => at <= clock.now())) {
        late.splice(late.indexOf(effect), 1);
        await effect.run();
      }
      await mock.list(never);
    },
    makeForeign: async (name) => {
      value(await mock.create(name, foreign, never));
      return `${server}/${name}`;
    },
    living: async () => value(await mock.list(never)).map(({ name }) => `${server}/${name}`),
    inject: async (injection) => {
      if (injection.do === 'shut-down') isDown = true;
      else if ('on' in injection) {
        const isRead = injection.on === 'get' || injection.on === 'list';
        // A read is repeated by the client.
        armed = { calls: on[injection.on] ?? [], times: isRead ? 5 : 1, injection };
      } else armed = { calls: ['Create'], times: 1, injection };
    },
    untilHeld: () => held.promise,
    close: async () => {
      for (const provider of providers) provider.close();
      await mock.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const never = new AbortController().signal;
const foreign = { class: { cpu: 1, memoryMiB: 512 }, image: {}, networks: [], disks: [], tags: [] };

const away: Channel = {
  close: () => undefined,
  call: async () => refused({ code: 14, details: 'No connection established. Last error: connect ECONNREFUSED' }),
};

const refused = <C extends CallName>(said: ServerSaid, abandoned = false): Answered<C> => ({
  ok: false,
  said,
  abandoned,
});

/** It keeps no tags, says nothing of names, and knows its capabilities only partly. */
const likeOthers = (driver: MachineDriver): MachineDriver => ({
  ...driver,
  capabilities: async (signal) =>
    mapped(await driver.capabilities(signal), (has) => ({ ...has, keepsTags: false, createsByName: false })),
  list: async (signal) => mapped(await driver.list(signal), (all) => all.map((one) => ({ ...one, tags: [] }))),
  create: async (name, machine, signal) => {
    if (machine.tags.length > 0) return failed('invalid', 'tags: unexpected property');
    return driver.create(name, machine, signal);
  },
});

const mapped = <T, U>(result: Result<T>, map: (value: T) => U): Result<U> =>
  result.ok ? { ok: true, value: map(result.value) } : result;
