/** Puts the provider together from its options: who we are, how we ask, what is shared by all claims. */
import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import { createPace } from '../calls/request-pace.ts';
import type { ProviderContext } from '../context.ts';
import type { SoldTypes, TypeIndex } from '../shape-store.ts';
import { createEc2Calls, type Ec2Calls } from './calls/calls.ts';
import { isSharedAction, rateOf } from './calls/request-rates.ts';
import { Ec2Catalog } from './catalog/catalog.ts';
import { connectionOf } from './connection.ts';
import { ec2Facts } from './facts.ts';
import { joinedCluster } from './joined-cluster.ts';
import { Launch } from './launch/launch.ts';
import { LaunchTemplates } from './launch/launch-templates.ts';
import { Machines } from './machines.ts';
import { Ec2NodeClasses } from './node-class/resolve.ts';
import type { ResolvedEc2Class } from './node-class/resolved.ts';
import type { Ec2Options } from './options.ts';
import { Ec2Provider } from './provider.ts';
import { Shapes } from './shapes.ts';

/** What tests set: nobody waits for a window, and pages are small. */
export interface Ec2Tuning {
  windowMs?: number;
  pageSize?: number;
  patienceMs?: number;
  onCall?(service: string, action: string): void;
}

export function assembleEc2(options: Ec2Options, context: ProviderContext, tuning: Ec2Tuning = {}): Ec2Provider {
  const { clock, random, state } = context;
  const connection = connectionOf(options, context);
  // Accounts share nothing; without a role it is the account that the process runs in.
  const account = /:(\d{12}):/.exec(options.roleArn ?? '')?.[1] ?? 'own';
  const buyer = { account, region: options.region, clusterName: options.clusterName };
  const market = `${account}/${options.region}`;
  const scope = `${market}/${options.clusterName}`;
  const pace = createPace({
    cloud: 'EC2',
    rateOf: (action) => rateOf(action, options.requestRates),
    isShared: isSharedAction,
    clock,
    random,
    state,
    scope: `ec2/bucket/${market}`,
    ...defined({ patienceMs: tuning.patienceMs }),
  });
  const calls = createEc2Calls({
    connection,
    env: context.env,
    pace,
    ...defined({ onCall: tuning.onCall }),
  });
  const cluster = joinedCluster(options, calls, clock);
  const classes = new Ec2NodeClasses({ calls, context, scope, cluster });
  const machines = new Machines({
    calls,
    clock,
    ...defined({ windowMs: tuning.windowMs, pageSize: tuning.pageSize }),
  });
  const shapes = new Shapes(state, scope);
  const { vmMemoryOverheadPercent, reservedENIs, prices } = options;
  const catalog = new Ec2Catalog({
    calls,
    context,
    scope: market,
    buyer,
    vmMemoryOverheadPercent,
    reservedENIs,
    prices,
  });
  const types = async (resolved: ResolvedEc2Class, signal: AbortSignal): Promise<Result<SoldTypes>> => {
    const sold = await catalog.instanceTypes(resolved, signal);
    if (!sold.ok) return sold;
    // The catalog gives the same list until something has changed, and a list is long.
    const index = indexes.get(sold.value) ?? new Map(sold.value.map((type) => [type.name, type]));
    indexes.set(sold.value, index);
    shapes.learn(resolved.name, index);
    return ok({ list: sold.value, byName: index });
  };
  const indexes = new WeakMap<readonly InstanceType[], TypeIndex>();
  const templates = new LaunchTemplates({ calls, state, clock, scope });
  const { clusterName } = options;
  const launch = new Launch({
    calls,
    classes,
    types,
    setUp: (resolved, type) => catalog.setUp(resolved, type),
    cluster,
    templates,
    machines,
    shapes,
    state,
    clock,
    buyer,
    scope,
    slowDown: () => pace.refused('CreateFleet', undefined),
  });
  return new Ec2Provider({
    facts: ec2Facts(options),
    launch,
    machines,
    classes,
    shapes,
    types,
    place: accountAndRegion(calls),
    check: async (owner, signal) => {
      const { checkEc2 } = await import('./check.ts');
      return checkEc2({ calls, machines, prices }, owner, signal);
    },
    adopt: async (claim, providerID, how, signal) => {
      const { adoptMachine } = await import('./adopt.ts');
      return adoptMachine({ calls, machines, shapes, clusterName }, claim, providerID, how, signal);
    },
    roomToCreate: (token) => pace.reserve('CreateFleet', token),
    clock,
    close: () => {
      classes.close();
      catalog.close();
      calls.close();
    },
  });
}

/** The account and the region, asked once for each set of keys: credentials that lead to another account make another place. */
function accountAndRegion(
  calls: Pick<Ec2Calls, 'sts' | 'region' | 'credentialsFetched'>,
): () => Promise<Result<string>> {
  let asked: { with: number; answer: Promise<Result<string>> } | undefined;
  const ask = async (): Promise<Result<string>> => {
    const identity = await calls.sts('GetCallerIdentity', {}, AbortSignal.timeout(20_000));
    if (!identity.ok) return identity;
    const { Account: account } = identity.value;
    return account === undefined
      ? failed('unavailable', 'STS did not return the account')
      : ok(`${account}/${calls.region}`);
  };
  return async () => {
    if (asked?.with !== calls.credentialsFetched()) asked = { with: calls.credentialsFetched(), answer: ask() };
    const mine = asked;
    const place = await mine.answer;
    if (!place.ok && asked === mine) asked = undefined;
    return place;
  };
}
