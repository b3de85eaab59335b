import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { nodeShelf } from '../azure/stand-in.ts';
import { fleetOf, instancesOf, makeTemplate, standIn } from './stand-in.ts';

const bootstrap = `#!/bin/bash
/etc/eks/bootstrap.sh 'demo' --kubelet-extra-args '--node-labels="team=web,karpenter.sh/nodepool=default" --register-with-taints="karpenter.sh/unregistered:NoExecute,gpu=yes:NoSchedule"'`;

const nodeadm = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript

echo hello
--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: { name: demo }
  kubelet:
    config:
      registerWithTaints:
        - { effect: NoExecute, key: karpenter.sh/unregistered }
        - { effect: NoSchedule, key: gpu, value: "yes" }
    flags:
      - --node-labels="team=web,karpenter.sh/nodepool=default"
--//--
`;

const bottlerocket = `[settings.kubernetes]
cluster-name = "demo"
[settings.kubernetes.node-labels]
"team" = "web"
"karpenter.sh/nodepool" = "default"
[settings.kubernetes.node-taints]
"karpenter.sh/unregistered" = [":NoExecute"]
"gpu" = ["yes:NoSchedule"]
`;

test.each([
  ['a script', bootstrap],
  ['a NodeConfig', nodeadm],
  ['settings of Bottlerocket', bottlerocket],
])(
  'an instance joins with the labels and taints that %s asks for, and its Node goes with it',
  async (_what, userData) => {
    const shelf = nodeShelf();
    const world = await standIn({
      kubelet: shelf,
      settings: { pendingSeconds: 10, shutdownSeconds: 5, readySeconds: 3 },
    });
    try {
      const { aws, ec2, advance } = world;
      const name = await makeTemplate(world, { userData });
      await ec2.send(fleetOf(name, [['m5.large', 1]]));
      await aws.settle();
      expect(shelf.nodes.size).toBe(0);
      await advance(10);
      const [{ id = '' } = {}] = aws.ledger();
      const [instance] = await instancesOf(ec2, { InstanceIds: [id] });
      const node = shelf.nodes.get(instance?.PrivateDnsName ?? '');
      expect(node).toMatchObject({
        metadata: {
          labels: {
            team: 'web',
            'karpenter.sh/nodepool': 'default',
            'topology.kubernetes.io/zone': 'us-east-1b',
            'node.kubernetes.io/instance-type': 'm5.large',
            'kubernetes.io/arch': 'amd64',
          },
        },
        spec: {
          providerID: `aws:///us-east-1b/${id}`,
          taints: [
            { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
            { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
          ],
        },
      });
      await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
      await advance(5);
      expect(shelf.nodes.size).toBe(0);
    } finally {
      await world.close();
    }
  },
);

test('an instance without user data runs and joins nothing', async () => {
  const shelf = nodeShelf();
  const world = await standIn({ kubelet: shelf, settings: { pendingSeconds: 1 } });
  try {
    const name = await makeTemplate(world, { userData: '' });
    await world.ec2.send(fleetOf(name, [['m5.large', 1]]));
    await world.advance(60);
    expect(world.aws.living).toBe(1);
    expect(shelf.nodes.size).toBe(0);
  } finally {
    await world.close();
  }
});

test('a machine that is taken back is warned first, and ends two minutes later', async () => {
  const world = await standIn({ settings: { pendingSeconds: 1, shutdownSeconds: 1 } });
  try {
    const { aws, ec2, advance } = world;
    const name = await makeTemplate(world);
    await ec2.send(fleetOf(name, [['m5.large', 1]], { spot: true }));
    await advance(1);
    const [{ id = '' } = {}] = aws.ledger();
    expect(aws.reclaim(id)).toBe(true);
    expect(aws.reclaim(id)).toBe(false);
    expect(aws.messages().at(-1)).toMatchObject({
      version: '0',
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      detail: { 'instance-id': id, 'instance-action': 'terminate' },
    });
    await advance(119);
    expect(aws.living).toBe(1);
    await advance(2);
    expect(aws.living).toBe(0);
    expect(aws.ledger()).toMatchObject([{ whyGone: 'interrupted' }]);
    const states = aws.messages().flatMap(({ detail }) => (typeof detail.state === 'string' ? [detail.state] : []));
    expect(states).toEqual(['pending', 'running', 'shutting-down', 'terminated']);
  } finally {
    await world.close();
  }
});
