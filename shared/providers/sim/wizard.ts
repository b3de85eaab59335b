import { capacityTypes, emptyClass, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  credentials: () => 'none needed',
  lines: [],
  manifest: () => ({
    nodeClass: {
      comment: 'Nodes of the simulated cloud need no settings of their own.',
      object: emptyClass('poolwright.dev/v1alpha1', 'SimNodeClass'),
    },
    ref: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: {
      comment: 'Spot is cheaper, but the cloud may reclaim it.',
      list: capacityTypes(['spot', 'on-demand']),
    },
    requests: { cpu: '2', memory: '4Gi' },
  }),
};
