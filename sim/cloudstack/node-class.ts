/** A node class that fits the site of the stand-in, with user data that joins as a kubelet of kubeadm's packages would. It loads nothing of the stand-in. */
import type { JsonObject } from '../../shared/base/json.ts';

/** The cluster whose tags the site has unless another is asked for. */
export const defaultCluster = 'my-cluster';

const userData = `#!/bin/bash
set -euo pipefail
VM_ID="$(cloud-init query v1.instance_id)"
cat > /etc/default/kubelet <<EOF
KUBELET_EXTRA_ARGS=--provider-id=cloudstack://{{ poolwright.node.zone }}/\${VM_ID} --hostname-override={{ poolwright.node.name }} --node-labels={{ poolwright.node.labels }} --register-with-taints={{ poolwright.node.taints }}
EOF
systemctl restart kubelet
`;

export const cloudStackNodeClass = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'karpenter.k8s.cloudstack/v1',
  kind: 'CloudStackNodeClass',
  metadata: { name: 'default' },
  spec: {
    zones: ['zone-01', 'zone-02', 'zone-03'],
    networkSelectorTerms: [{ tags: { 'karpenter.sh/discovery': defaultCluster } }],
    serviceOfferingSelectorTerms: [{ tags: { 'karpenter.sh/discovery': defaultCluster } }],
    spotOfferingSelectorTerms: [{ tags: { 'capacity-type': 'spot' } }],
    templateSelectorTerms: [{ name: 'ubuntu-22.04-kubernetes' }, { name: 'ubuntu-22.04-kubernetes-arm64' }],
    userData,
    ...spec,
  },
});
