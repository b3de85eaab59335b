import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeShelf } from '../azure/stand-in.ts';
import { deploy, type StandIn, standIn } from './stand-in.ts';

const open: StandIn[] = [];
const start = async (...given: Parameters<typeof standIn>): Promise<StandIn> => {
  const one = await standIn(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const kubelet = `--node-labels=team=web,karpenter.sh/nodepool=default --register-with-taints=karpenter.sh/unregistered:NoExecute,gpu=yes:NoSchedule`;

const kubeadmByHand = `#!/bin/bash
VM_ID="$(curl -s http://data-server/latest/meta-data/instance-id)"
cat > /etc/default/kubelet <<EOF
KUBELET_EXTRA_ARGS=--provider-id=cloudstack://zone-01/\${VM_ID} ${kubelet}
EOF
kubeadm join 10.0.0.1:6443 --token secret --node-name web-1
`;

const k3s = `#!/bin/bash
VM_ID="$(cloud-init query v1.instance_id)"
cat > /etc/rancher/k3s/config.yaml <<'EOF'
server: "https://10.0.0.1:6443"
node-name: web-1
node-label: ["team=web", "karpenter.sh/nodepool=default"]
node-taint:
  - karpenter.sh/unregistered:NoExecute
  - gpu=yes:NoSchedule
kubelet-arg:
  - provider-id=cloudstack://zone-01/@VM_ID@
EOF
sed -i "s|@VM_ID@|$VM_ID|" /etc/rancher/k3s/config.yaml
`;

const jinja = `## template: jinja
#cloud-config
write_files:
  - path: /etc/rancher/rke2/config.yaml
    content: |
      node-name: web-1
      node-label: [team=web, karpenter.sh/nodepool=default]
      node-taint: ["karpenter.sh/unregistered:NoExecute", "gpu=yes:NoSchedule"]
      kubelet-arg: [provider-id=cloudstack://zone-01/{{ ds.meta_data.instance_id }}]
runcmd:
  - systemctl enable --now rke2-agent
`;

const joinConfiguration = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
nodeRegistration:
  name: web-1
  taints:
    - { key: karpenter.sh/unregistered, effect: NoExecute }
    - { key: gpu, value: "yes", effect: NoSchedule }
  kubeletExtraArgs:
    - { name: provider-id, value: cloudstack://zone-01/__VM_ID__ }
    - { name: node-labels, value: "team=web,karpenter.sh/nodepool=default" }
`;

const encodedFile = `#cloud-config
write_files:
  - path: /etc/kubeadm.yaml
    encoding: gz+b64
    content: ${gzipSync(joinConfiguration).toString('base64')}
bootcmd:
  - sed -i "s/__VM_ID__/$(cloud-init query ds.meta_data.vm_id)/" /etc/kubeadm.yaml
`;

const mime = `Content-Type: multipart/mixed; boundary="==part=="
MIME-Version: 1.0

--==part==
Content-Type: text/cloud-config; charset="us-ascii"

#cloud-config
package_update: true
--==part==
Content-Type: text/x-shellscript; charset="us-ascii"
Content-Transfer-Encoding: base64

${Buffer.from(kubeadmByHand).toString('base64')}
--==part==--
`;

const plain = (text: string): string => Buffer.from(text).toString('base64');

describe('a VM joins with the name, labels, taints and providerID', () => {
  test.each([
    ['of a script', plain(kubeadmByHand)],
    ['of a script, packed', gzipSync(kubeadmByHand).toString('base64')],
    ['of a script that is a part of a message', plain(mime)],
    ['of a configuration of k3s', plain(k3s)],
    ['of a template of cloud-init', plain(jinja)],
    ['of an encoded file with a JoinConfiguration', plain(encodedFile)],
  ])('%s', async (_what, userdata) => {
    const shelf = nodeShelf();
    const world = await start({ kubelet: shelf, settings: { bootSeconds: 10, destroySeconds: 5, readySeconds: 3 } });
    const { user, advance } = world;
    const { id } = await deploy(world, { name: 'web-1', userdata });
    await advance(9);
    expect(shelf.nodes.size).toBe(0);
    await advance(1);
    expect(shelf.nodes.get('web-1')).toMatchObject({
      metadata: { labels: { team: 'web', 'karpenter.sh/nodepool': 'default', 'kubernetes.io/arch': 'amd64' } },
      spec: {
        providerID: `cloudstack://zone-01/${id}`,
        taints: [
          { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
          { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        ],
      },
      status: { capacity: { cpu: '2', memory: '8Gi' } },
    });
    await user.send('destroyVirtualMachine', { id, expunge: true });
    await advance(5);
    expect(shelf.nodes.size).toBe(0);
  });
});

test.each([
  ['without user data', ''],
  ['whose user data joins nothing', plain('#!/bin/bash\ncloud-init status --wait\n')],
  ['whose user data is packed and broken', Buffer.from([0x1f, 0x8b, 1, 2, 3]).toString('base64')],
])('a VM %s runs and joins nothing', async (_what, userdata) => {
  const shelf = nodeShelf();
  const world = await start({ kubelet: shelf, settings: { bootSeconds: 1 } });
  await deploy(world, { userdata });
  await world.advance(60);
  expect(world.cloudstack.living).toBe(1);
  expect(shelf.nodes.size).toBe(0);
});

test('GPUs, ARM and the size that a deployer chose are those of the Node', async () => {
  const shelf = nodeShelf();
  const world = await start({ kubelet: shelf, settings: { bootSeconds: 0 } });
  const userdata = plain(kubeadmByHand.replace(' --node-name web-1', ''));
  await deploy(world, { name: 'gpu', offering: 'GPU T4 Instance', userdata });
  await deploy(world, {
    name: 'arm',
    offering: 'Medium ARM Instance',
    template: 'ubuntu-22.04-kubernetes-arm64',
    userdata,
  });
  await deploy(world, {
    name: 'own',
    offering: 'Custom Instance',
    'details[0].cpuNumber': 5,
    'details[0].memory': 6144,
    userdata,
  });
  await world.advance(0);
  expect(shelf.nodes.get('gpu')).toMatchObject({ status: { capacity: { 'nvidia.com/gpu': '1' } } });
  expect(shelf.nodes.get('arm')).toMatchObject({ metadata: { labels: { 'kubernetes.io/arch': 'arm64' } } });
  expect(shelf.nodes.get('own')).toMatchObject({ status: { capacity: { cpu: '5', memory: '6Gi' } } });
});
