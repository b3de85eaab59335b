/** The node classes of docs/examples are used as they stand: their VMs join, with their providerID, labels and taints. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ok } from '../../shared/base/result.ts';
import { guestNodeOf } from '../../sim/cloudstack/guest/node-request.ts';
import { startCloudStackHarness } from '../conformance/providers/cloudstack-harness.ts';
import { aRequest, patience, untilCreated, value } from '../conformance/providers/requests.ts';

const secret = {
  'join-command': 'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:00',
  'join-server': 'https://10.0.0.1:6443',
  'join-token': 'K10::server:a"b$c',
};

describe.each(['kubeadm', 'k3s', 'rke2'])('docs/examples/cloudstack-%s.yaml', (distribution) => {
  const file = new URL(`../../docs/examples/cloudstack-${distribution}.yaml`, import.meta.url);
  const [nodeClass] = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS());

  it.each(['admin', 'user'] as const)('makes VMs that join, as %s', async (account) => {
    const secrets = { read: async () => ok(secret) };
    const harness = await startCloudStackHarness({ account, context: { secrets } });
    onTestFinished(() => harness.close());
    const request = {
      ...aRequest(harness),
      nodeClass: { name: distribution, spec: nodeClass.spec },
      taints: [
        { key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const },
        { key: 'gpu', value: 'yes', effect: 'NoSchedule' as const },
      ],
      labels: { team: 'web', 'karpenter.sh/nodepool': 'workers' },
    };

    const begun = value(await harness.provider.beginCreate(request, patience()));
    const { instance } = await untilCreated(harness, begun);

    const vm = harness.cloudstack.vm(instance.id)!;
    const facts = { vmId: vm.id, name: vm.name, zone: 'zone-01', offering: vm.offering.name, ip: '10.0.0.2' };
    const node = guestNodeOf(vm.userData, facts);
    expect(node).toMatchObject({ name: request.name, providerID: instance.providerID, labels: request.labels });
    expect(node!.taints.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
      request.taints.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
  });
});
