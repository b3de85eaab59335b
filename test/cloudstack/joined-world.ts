/** A whole cluster of which the machines come from the stand-in for CloudStack. */
import type { Json } from '../../shared/base/json.ts';
import { countingIds } from '../../shared/base/runtime.ts';
import type { Resource } from '../../shared/kube/contract.ts';
import type { WithStatus } from '../../shared/nodes/pools/object-status.ts';
import { assembleCloudStack } from '../../shared/providers/cloudstack/assemble.ts';
import { cloudStackNodeClass } from '../../shared/providers/cloudstack/node-class/kind.ts';
import { readCloudStackOptions } from '../../shared/providers/cloudstack/options.ts';
import type { ProviderContext } from '../../shared/providers/context.ts';
import { cloudStackNodeClass as joiningClass } from '../../sim/cloudstack/node-class.ts';
import { type CloudStack, type CloudStackOptions, startCloudStack } from '../../sim/cloudstack/start.ts';
import { value } from '../conformance/providers/requests.ts';
import type { TestWorld, TestWorldOptions } from '../nodes/world.ts';
import { testContext } from '../stand-ins/provider-context.ts';
import { classOf } from './world.ts';

export const resource: Resource = { ...cloudStackNodeClass, namespaced: false };

export type Fields = { [field: string]: Json | undefined };

export interface JoinedOptions {
  standIn?: CloudStackOptions;
  /** Of the provider. */
  options?: { [field: string]: Json };
  env?: (cloudstack: CloudStack) => Record<string, string>;
  context?: Partial<ProviderContext>;
}

/** @param open What `useWorld` gave. */
export async function joinedWorld(
  open: (options?: TestWorldOptions) => Promise<TestWorld>,
  { standIn, options = {}, env, context: more }: JoinedOptions = {},
): Promise<{ world: TestWorld; cloudstack: CloudStack }> {
  let cloudstack: CloudStack | undefined;
  const world = await open({
    join: async ({ clock, log, clusterUrl }) => {
      const made = await startCloudStack({
        clock,
        authClock: clock,
        ids: countingIds(),
        wakeByItself: false,
        kubelet: { clusterUrl },
        ...standIn,
      });
      cloudstack = made;
      const context = testContext({ clock, log, env: { ...made.env, ...env?.(made) }, ...more });
      const read = value(readCloudStackOptions(options, context.env, 'my-cluster'));
      const provider = assembleCloudStack({ ...read, requestsPerSecond: 10_000 }, context, { windowMs: 0 });
      return {
        providers: [{ provider, type: 'cloudstack' }],
        settle: () => made.settle(),
        close: async () => {
          provider.close();
          await made.close();
        },
      };
    },
  });
  if (cloudstack === undefined) throw new Error('the cloud was not joined');
  return { world, cloudstack };
}

/** With user data that joins. */
const { userData } = joiningClass().spec as { userData: string };

export async function makeClass(world: TestWorld, name: string, more: Fields = {}): Promise<void> {
  const { group, version, kind } = cloudStackNodeClass;
  const { spec } = classOf({ userData, ...more });
  value(await world.api.create(resource, { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }));
}

export const makeClaim = (world: TestWorld, name: string, more: { [field: string]: Json } = {}) =>
  world.createClaim(name, {
    nodeClassRef: { group: cloudStackNodeClass.group, kind: cloudStackNodeClass.kind, name },
    requirements: [],
    ...more,
  });

export async function readClass(world: TestWorld, name: string) {
  return value(await world.api.get<WithStatus>(resource, { name }));
}
