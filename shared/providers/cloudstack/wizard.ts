import { capacityTypes, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  byNode: ({ providerID, labels }) => {
    if (!/^(external-)?cloudstack:\/\//.test(providerID)) return undefined;
    const zone = labels['topology.kubernetes.io/zone'];
    return zone === undefined ? {} : { zone };
  },
  fromEnvironment: (env) => ({ apiUrl: env.CLOUDSTACK_API_URL }),
  credentials: (env) =>
    env.CLOUDSTACK_API_KEY && env.CLOUDSTACK_SECRET_KEY ? 'CLOUDSTACK_API_KEY and CLOUDSTACK_SECRET_KEY' : undefined,
  lines: [
    '# Credentials come from CLOUDSTACK_API_KEY and CLOUDSTACK_SECRET_KEY, or from the Secret karpenter/cloudstack-credentials.',
    '# The account needs the role in docs/cloudstack-rights.md.',
  ],
  manifest: ({ zone = '', network = '', template = '' }) => ({
    nodeClass: {
      comment:
        'Any offering may be used; name some to choose. User data has to make the instance join: docs/providers/cloudstack.md has some for kubeadm, k3s and rke2.',
      object: {
        apiVersion: 'karpenter.k8s.cloudstack/v1',
        kind: 'CloudStackNodeClass',
        metadata: { name: 'default' },
        spec: {
          zone,
          networkSelectorTerms: [{ name: network }],
          serviceOfferingSelectorTerms: [{ name: 'Medium Instance' }],
          templateSelectorTerms: [{ name: template }],
          userData: '#cloud-config\n',
        },
      },
    },
    ref: { group: 'karpenter.k8s.cloudstack', kind: 'CloudStackNodeClass', name: 'default' },
    requirements: {
      comment: 'Offerings that the class calls spot may be used as well.',
      list: capacityTypes(['on-demand']),
    },
    requests: { cpu: '1', memory: '1Gi' },
  }),
};
