/** A node class for machines of the mock, with user data that joins as a kubelet of kubeadm's packages would. */
import type { JsonObject } from '../../shared/base/json.ts';

const userData = `#!/bin/bash
set -euo pipefail
cat > /etc/default/kubelet <<EOF
KUBELET_EXTRA_ARGS=--provider-id={{ poolwright.node.provider-id }} --hostname-override={{ poolwright.node.name }} --node-labels={{ poolwright.node.labels }} --register-with-taints={{ poolwright.node.taints }}
EOF
systemctl restart kubelet
`;

export const machineNodeClass = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'MachineNodeClass',
  metadata: { name: 'default' },
  spec: {
    provider: 'mock',
    zones: [
      { name: 'zone-a', placement: { cluster: 'a' } },
      { name: 'zone-b', placement: { cluster: 'b' } },
    ],
    sizes: [
      { name: 'small', cpu: 2, memory: '8Gi', price: 0.04 },
      { name: 'medium', cpu: 8, memory: '32Gi', price: 0.16 },
      { name: 'large', cpu: 16, memory: '64Gi', price: 0.32 },
      { name: 'gpu', cpu: 8, memory: '64Gi', price: 0.9, gpu: { count: 1 }, extraConfig: { gpus: '1' } },
    ],
    image: { templateName: 'ubuntu-24.04-k8s' },
    networks: [{ name: 'default' }],
    disks: [{ name: 'root', sizeGiB: 60 }],
    userData,
    ...spec,
  },
});
