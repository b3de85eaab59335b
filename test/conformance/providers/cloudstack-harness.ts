/** The cloudstack provider with its real client, before a stand-in for CloudStack with a clock that is moved by hand. */

import type { Json } from '../../../shared/base/json.ts';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import type { OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import { assembleCloudStack } from '../../../shared/providers/cloudstack/assemble.ts';
import { readCloudStackOptions } from '../../../shared/providers/cloudstack/options.ts';
import type { CloudStackProvider } from '../../../shared/providers/cloudstack/provider.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import type { Instance } from '../../../shared/providers/contract.ts';
import { cloudStackNodeClass } from '../../../sim/cloudstack/node-class.ts';
import { type CloudStack, type CloudStackOptions, startCloudStack } from '../../../sim/cloudstack/start.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import type { Injection, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { anOwner, patience, value } from './requests.ts';

const bootSeconds = 4;
const destroySeconds = 4;

export interface CloudStackHarness extends ProviderHarness {
  provider: CloudStackProvider;
  anotherProvider(): CloudStackProvider;
  cloudstack: CloudStack;
  clock: ReturnType<typeof manualClock>;
  context: ProviderContext;
  /** For a registry, or for another host. */
  options: Json;
}

/** `customIds` needs an administrator; everybody else has no idempotency. */
export type Account = 'admin' | 'user';

const own = 'see cloudstack-launch.test.ts';
const excludedForAll = {
  'tells whoever waits for the create that it is being deleted': `CloudStack does one thing after the other: a VM that boots is Starting until its destroy has its turn (${own})`,
  'says throttled, and how long to wait where the cloud says so': `CloudStack always says how long (${own})`,
  'says insufficient-capacity when the offering is sold out, and makes nothing': `CloudStack says it in the job of a deploy that it has taken (${own})`,
  'fails where the credentials may not look, with what to do':
    'what an account may call is read from listApis, and nothing is tried (see test/cloudstack/check.test.ts)',
  'finds what is booting and what is being deleted': `CloudStack does one thing after the other: a VM that boots is Starting until its destroy has its turn (${own})`,
};

export const cloudStackUnderTest = (account: Account): ProviderUnderTest => ({
  idempotency: account === 'admin' ? 'name' : 'none',
  tellsPauses: true,
  excluded:
    account === 'admin'
      ? excludedForAll
      : {
          ...excludedForAll,
          'makes another instance for every begin, and find shows them all':
            'a name is given once in a network, so CloudStack refuses the second deploy, and the first work is found',
          'never touches a foreign thing of the same name': `a name is given once in a network, so the foreign VM is a conflict (${own})`,
          'calls the work of another deployment or cluster under the same claim uid a conflict, or makes its own': `a name is given once in a network, so it is a conflict (${own})`,
        },
  injections: [
    'lose-answer',
    'lose-request',
    'late-effect',
    'hold',
    'lag',
    'throttle',
    'sold-out',
    'quota',
    'unauthorised',
    'server-error',
    'garble',
    'shut-down',
    // CloudStack queues what is asked of one VM, never says that a server error did nothing, and tells what has no capacity to
    // whoever asks for it.
  ],
  start: () => startCloudStackHarness({ account }),
});

export interface CloudStackWorldOptions {
  account?: Account;
  cloudstack?: CloudStackOptions;
  options?: { [field: string]: Json };
  spec?: { [field: string]: Json };
  context?: Partial<ProviderContext>;
}

export async function startCloudStackHarness({
  account = 'admin',
  cloudstack: more = {},
  options: given = {},
  spec = {},
  context: around = {},
}: CloudStackWorldOptions = {}): Promise<CloudStackHarness> {
  const clock = manualClock();
  const cloudstack = await startCloudStack({
    clock,
    authClock: clock,
    ids: countingIds(),
    wakeByItself: false,
    ...more,
    settings: { bootSeconds, destroySeconds, ...more.settings },
  });
  const env = account === 'admin' ? cloudstack.adminEnv : cloudstack.env;
  const context = testContext({ clock, env, ...around });
  // An administrator makes machines for the account that has the networks.
  const forAccount = account === 'admin' ? { customIds: true, domain: 'ROOT/team', account: 'kubernetes' } : {};
  const options = { ...forAccount, listLagSeconds: 2, requestsPerSecond: 10_000, ...given };
  const providers: CloudStackProvider[] = [];
  const anotherProvider = (): CloudStackProvider => {
    const read = value(readCloudStackOptions(options, context.env, context.cluster));
    const provider = assembleCloudStack(read, context, { windowMs: 0, pageSize: 2 });
    providers.push(provider);
    return provider;
  };
  const offering: OfferingRef = { instanceType: 'Medium-Instance', zone: 'zone-01', capacityType: 'on-demand' };
  const nodeClassSpec = { ...(cloudStackNodeClass(spec).spec as { [field: string]: Json }) };
  return {
    cloudstack,
    clock,
    context,
    options,
    provider: anotherProvider(),
    anotherProvider,
    nodeClass: { name: 'default', spec: nodeClassSpec },
    wrongNodeClass: { spec: { ...nodeClassSpec, networkSelectorTermz: [] }, field: 'networkSelectorTermz' },
    offering,
    secrets: [cloudstack.user.secretKey, cloudstack.admin.secretKey],
    advance: async (seconds) => {
      clock.advance(Math.ceil(seconds * 1000));
      await cloudstack.settle();
    },
    makeForeign: async (name) => cloudstack.launchForeign(name),
    living: async () =>
      cloudstack
        .ledger()
        .filter(({ goneAt }) => goneAt === null)
        .map(({ id }) => id),
    inject: async (injection) => {
      if (injection.do === 'shut-down') await cloudstack.close();
      else cloudstack.setFaults([toRule(injection)]);
    },
    untilHeld: () => cloudstack.held(1),
    close: async () => {
      for (const provider of providers) provider.close();
      await cloudstack.close();
    },
  };
}

function toRule(injection: Exclude<Injection, { do: 'shut-down' }>): FaultRule {
  const once = { count: 1 };
  switch (injection.do) {
    case 'lose-answer':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'done' } };
    case 'lose-request':
      // A read is tried again at once, on a connection of its own.
      return {
        on: injection.on,
        count: injection.on === 'get' || injection.on === 'list' ? 2 : 1,
        do: { kind: 'reset' },
      };
    case 'late-effect':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'late', lateSeconds: injection.seconds } };
    case 'hold':
      return { on: injection.on, ...once, do: { kind: 'timeout' } };
    case 'lag':
      return { on: 'list', do: { kind: 'lag', seconds: injection.seconds } };
    case 'throttle': {
      const { retryAfterSeconds } = injection;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      // More often than a call is repeated at once.
      return { on: injection.on, count: 10, do: { kind: 'throttle', ...wait } };
    }
    case 'sold-out':
      return { on: 'create', ...once, do: { kind: 'sold-out' } };
    case 'quota':
      return { on: 'create', ...once, do: { kind: 'quota' } };
    case 'unauthorised':
      return { on: injection.on, ...once, do: { kind: 'unauthorised' } };
    case 'server-error':
      return { on: injection.on, ...once, do: { kind: 'error', status: 503 } };
    case 'garble':
      return { on: injection.on, ...once, do: { kind: 'garbled' } };
    case 'conflict':
    case 'harmless-server-error':
    case 'list-sold-out':
      throw new Error(`CloudStack does no such thing: ${injection.do}`);
  }
}

/** Everything of the deployment, all pages. */
export async function allListed({ provider }: ProviderHarness): Promise<Instance[]> {
  const all: Instance[] = [];
  let next: string | undefined;
  do {
    const page = value(await provider.list(anOwner(), next, patience()));
    all.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return all;
}
