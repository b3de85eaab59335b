/** The ec2 provider with the real SDK, before a stand-in for AWS with a clock that is moved by hand. */

import type { Json } from '../../../shared/base/json.ts';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import type { OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import { assembleEc2 } from '../../../shared/providers/ec2/assemble.ts';
import { readEc2Options } from '../../../shared/providers/ec2/options.ts';
import type { Ec2Provider } from '../../../shared/providers/ec2/provider.ts';
import { type Aws, type AwsOptions, startAws } from '../../../sim/aws/start.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import type { Injection, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { value } from './requests.ts';

const pendingSeconds = 5;
const shutdownSeconds = 5;

export interface Ec2Harness extends ProviderHarness {
  provider: Ec2Provider;
  anotherProvider(): Ec2Provider;
  aws: Aws;
  clock: ReturnType<typeof manualClock>;
  context: ProviderContext;
  /** For a registry, or for another host. */
  options: Json;
  /** What was asked of AWS, by `service:Action`. */
  calls(): Record<string, number>;
}

/** What there is of the sort that Karpenter's guide makes. */
export const nodeClassSpec = {
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
  securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
  role: 'KarpenterNodeRole-demo',
  tags: { team: 'web' },
};

export const ec2UnderTest: ProviderUnderTest = {
  idempotency: 'token',
  tellsPauses: false,
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
    // EC2 has no operations that exclude each other, never says that a server error did nothing, and tells what is sold out to
    // whoever asks for it.
  ],
  start: () => startEc2Harness(),
};

export interface Ec2WorldOptions {
  aws?: AwsOptions;
  options?: { [field: string]: Json };
}

export async function startEc2Harness({
  aws: more = {},
  options: given = {},
}: Ec2WorldOptions = {}): Promise<Ec2Harness> {
  const clock = manualClock();
  const aws = await startAws({
    clock,
    ids: countingIds(),
    wakeByItself: false,
    ...more,
    settings: { pendingSeconds, shutdownSeconds, ...more.settings },
  });
  const context = testContext({ clock, env: aws.env });
  const options = { region: aws.region, clusterName: 'demo', serveEc2NodeClasses: true, listLagSeconds: 2, ...given };
  const providers: Ec2Provider[] = [];
  const anotherProvider = (): Ec2Provider => {
    const provider = assembleEc2(value(readEc2Options(options, context.env)), context, { windowMs: 0, pageSize: 2 });
    providers.push(provider);
    return provider;
  };
  const offering: OfferingRef = { instanceType: 'm5.large', zone: `${aws.region}b`, capacityType: 'on-demand' };
  return {
    aws,
    clock,
    context,
    options,
    calls: () => aws.calls(),
    provider: anotherProvider(),
    anotherProvider,
    nodeClass: { name: 'default', spec: nodeClassSpec },
    wrongNodeClass: { spec: { ...nodeClassSpec, subnetz: [] }, field: 'subnetz' },
    offering,
    secrets: [aws.env.AWS_SECRET_ACCESS_KEY ?? ''].filter((secret) => secret !== ''),
    advance: async (seconds) => {
      clock.advance(Math.ceil(seconds * 1000));
      await aws.settle();
    },
    makeForeign: async (name) => aws.launchForeign(name),
    living: async () =>
      aws
        .ledger()
        .filter(({ goneAt }) => goneAt === null)
        .map(({ id }) => id),
    inject: async (injection) => {
      if (injection.do === 'shut-down') await aws.close();
      else aws.setFaults([toRule(injection, offering)]);
    },
    untilHeld: () => aws.held(1),
    close: async () => {
      for (const provider of providers) provider.close();
      await aws.close();
    },
  };
}

function toRule(injection: Exclude<Injection, { do: 'shut-down' }>, offering: OfferingRef): FaultRule {
  const once = { count: 1 };
  switch (injection.do) {
    case 'lose-answer':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'done' } };
    case 'lose-request':
      return { on: injection.on, ...once, do: { kind: 'reset' } };
    case 'late-effect':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'late', lateSeconds: injection.seconds } };
    case 'hold':
      return { on: injection.on, ...once, do: { kind: 'timeout' } };
    case 'lag':
      return { on: 'list', do: { kind: 'lag', seconds: injection.seconds } };
    case 'throttle': {
      const { retryAfterSeconds } = injection;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return { on: injection.on, ...once, do: { kind: 'throttle', ...wait } };
    }
    case 'sold-out':
      return { on: 'create', offering: { ...offering }, ...once, do: { kind: 'sold-out' } };
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
      throw new Error(`EC2 does no such thing: ${injection.do}`);
  }
}
