/** A whole cluster of which the machines come from the stand-in for AWS. */

import type { Json } from '../../shared/base/json.ts';
import { countingIds } from '../../shared/base/runtime.ts';
import type { Resource } from '../../shared/kube/contract.ts';
import type { WithStatus } from '../../shared/nodes/pools/object-status.ts';
import { assembleEc2 } from '../../shared/providers/ec2/assemble.ts';
import { ec2NodeClass } from '../../shared/providers/ec2/node-class/kind.ts';
import { readEc2Options } from '../../shared/providers/ec2/options.ts';
import { type Aws, type AwsOptions, startAws } from '../../sim/aws/start.ts';
import { nodeClassSpec } from '../conformance/providers/ec2-harness.ts';
import { value } from '../conformance/providers/requests.ts';
import type { TestWorld, TestWorldOptions } from '../nodes/world.ts';
import { testContext } from '../stand-ins/provider-context.ts';

export const resource: Resource = { ...ec2NodeClass, namespaced: false };

export type Fields = { [field: string]: Json };

/** @param open What `useWorld` gave. */
export async function joinedWorld(
  open: (options?: TestWorldOptions) => Promise<TestWorld>,
  { awsOptions, serve = true }: { awsOptions?: AwsOptions | undefined; serve?: boolean } = {},
): Promise<{ world: TestWorld; aws: Aws }> {
  let aws: Aws | undefined;
  const world = await open({
    join: async ({ clock, log, clusterUrl }) => {
      const made = await startAws({
        clock,
        ids: countingIds(),
        wakeByItself: false,
        kubelet: { clusterUrl },
        ...awsOptions,
      });
      aws = made;
      const context = testContext({ clock, log, env: made.env });
      const options = { region: made.region, clusterName: 'demo', serveEc2NodeClasses: serve };
      const provider = assembleEc2(value(readEc2Options(options, context.env)), context, { windowMs: 0 });
      return {
        providers: [{ provider, type: 'ec2' }],
        settle: () => made.settle(),
        close: async () => {
          provider.close();
          await made.close();
        },
      };
    },
  });
  if (aws === undefined) throw new Error('the cloud was not joined');
  return { world, aws };
}

export async function makeClass(world: TestWorld, name: string, more: Fields = {}): Promise<void> {
  const { group, version, kind } = ec2NodeClass;
  const spec = Object.fromEntries(Object.entries({ ...nodeClassSpec, ...more }).filter(([, field]) => field !== null));
  value(await world.api.create(resource, { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }));
}

export const makeClaim = (world: TestWorld, name: string, more: Fields = {}) =>
  world.createClaim(name, {
    nodeClassRef: { group: ec2NodeClass.group, kind: ec2NodeClass.kind, name },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }],
    ...more,
  });

export async function readyOf(world: TestWorld, name: string) {
  const stored = value(await world.api.get<WithStatus>(resource, { name }));
  return stored.status?.conditions?.find(({ type }) => type === 'Ready');
}
