import { capacityTypes, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  byNode: ({ providerID }) => (/^remote:\/\//.test(providerID) ? {} : undefined),
  credentials: () => 'the certificates of the provider server',
  lines: [
    '# Machines join by spec.userData of the node class; its secrets come from the Secret karpenter/remote-join.',
  ],
  options: ({ endpoint = '', tlsDir = '' }) => ({
    servers: { main: { endpoint, tls: { directory: tlsDir } } },
  }),
  manifest: ({ image = '' }) => ({
    nodeClass: {
      comment: 'User data has to make the machine join: docs/providers/remote.md shows how.',
      object: {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'MachineNodeClass',
        metadata: { name: 'default' },
        spec: {
          provider: 'main',
          sizes: [
            { name: 'medium', cpu: 4, memory: '16Gi' },
            { name: 'large', cpu: 8, memory: '32Gi' },
          ],
          image: { templateName: image },
          networks: [{ name: 'default' }],
          userData: '#cloud-config\n',
        },
      },
    },
    ref: { group: 'poolwright.dev', kind: 'MachineNodeClass', name: 'default' },
    requirements: { comment: 'Hypervisors have no spot capacity.', list: capacityTypes(['on-demand']) },
    requests: { cpu: '1', memory: '1Gi' },
  }),
};
