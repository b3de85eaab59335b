/** A spot machine of EC2 from the cloud's own warning to a drained node: the real provider and SDKs, the stand-in's own messages. */

import { expect, it } from 'vitest';
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import { countingIds } from '../../shared/base/runtime.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { unavailableOfferings } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { manifestOf } from '../../shared/providers/manifests.ts';
import { nodeLookup } from '../../shared/providers/node-lookup.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { EventMessage } from '../../sim/aws/event-messages.ts';
import { type Aws, startAws } from '../../sim/aws/start.ts';
import { nodeClassSpec } from '../conformance/providers/ec2-harness.ts';
import { useWorld } from '../nodes/use-world.ts';
import { type CloudParts, conditionStatus, type JoinedCloud } from '../nodes/world.ts';
import { testContext } from '../stand-ins/provider-context.ts';

const open = useWorld();
const { signal } = new AbortController();

async function joinEc2(
  parts: CloudParts,
  onMessage: (message: EventMessage) => void,
): Promise<JoinedCloud & { aws: Aws }> {
  const { api, clusterUrl, clock, log } = parts;
  const aws = await startAws({ clock, ids: countingIds(), kubelet: { clusterUrl }, wakeByItself: false, onMessage });
  const module = await manifestOf('ec2')!.load();
  const made = await module.createProvider(
    { region: aws.region, clusterName: 'demo', serveEc2NodeClasses: true },
    testContext({ clock, log, nodes: nodeLookup(api), env: aws.env }),
  );
  if (!made.ok) throw new Error(made.error.message);
  const provider = made.value;
  return {
    aws,
    providers: [{ provider, type: 'ec2' }],
    settle: () => aws.settle(),
    close: async () => {
      provider.close?.();
      await aws.close();
    },
  };
}

it('the claim of a spot machine that is taken back is drained and gone before the machine is, and another kind is bought next', async () => {
  const messages: EventMessage[] = [];
  let aws: Aws | undefined;
  const world = await open({
    join: async (parts) => {
      const joined = await joinEc2(parts, (message) => messages.push(message));
      aws = joined.aws;
      return joined;
    },
  });
  const nodeClass = {
    group: 'karpenter.k8s.aws',
    version: 'v1',
    plural: 'ec2nodeclasses',
    kind: 'EC2NodeClass',
    namespaced: false,
  };
  const classed = await world.api.create(nodeClass, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: nodeClassSpec,
  });
  expect(classed).toMatchObject({ ok: true });
  const claim = (name: string) =>
    world.api.create<StoredClaim>(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name },
      spec: {
        nodeClassRef: { group: nodeClass.group, kind: nodeClass.kind, name: 'default' },
        requirements: [{ key: labels.capacityType, operator: 'In', values: ['spot', 'on-demand'] }],
        resources: { requests: { cpu: '1' } },
      },
    });
  await claim('one');
  await world.settle();
  const one = await world.claim('one');
  expect(conditionStatus(one, 'Ready')).toBe('True');
  expect(one?.metadata.labels?.[labels.capacityType]).toBe('spot');
  const offering = [labels.instanceType, labels.zone, labels.capacityType].map((key) => one?.metadata.labels?.[key]);

  const instance = one?.status?.providerID?.split('/').at(-1) ?? '';
  messages.splice(0);
  expect(aws?.reclaim(instance, 120)).toBe(true);
  await aws?.settle();
  expect(messages.map((message) => message['detail-type'])).toContain('EC2 Spot Instance Interruption Warning');
  const handled: Handled[] = [];
  for (const message of messages) {
    handled.push(
      await interruptionWatcher.handle(world.services, { body: JSON.stringify(message), receiveCount: 1 }, signal),
    );
  }
  expect(new Set(handled)).toEqual(new Set(['done']));
  expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('SpotInterrupted');
  expect([...(await unavailableOfferings(world.services, 'ec2')).keys()]).toContain(offering.join('/'));
  await world.settle();
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(aws?.living).toBe(0);

  await claim('two');
  await world.settle();
  const two = await world.claim('two');
  expect(conditionStatus(two, 'Ready')).toBe('True');
  const next = [labels.instanceType, labels.zone, labels.capacityType].map((key) => two?.metadata.labels?.[key]);
  expect(next).not.toEqual(offering);
  // Its own messages about machines that we ended ourselves find nobody.
  for (const message of messages) {
    expect(
      await interruptionWatcher.handle(world.services, { body: JSON.stringify(message), receiveCount: 1 }, signal),
    ).toBe('done');
  }
  expect((await world.claim('two'))?.metadata.deletionTimestamp).toBeUndefined();
});
