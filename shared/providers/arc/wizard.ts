import { azureCredentials, azureLines, azureVariables } from '../agent-pools/wizard-parts.ts';
import { emptyClass, instanceTypes, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  fromEnvironment: azureVariables,
  credentials: azureCredentials,
  lines: azureLines,
  manifest: () => ({
    nodeClass: {
      comment: 'Nodes of this kind need no settings of their own yet.',
      object: emptyClass('poolwright.dev/v1alpha1', 'ArcNodeClass'),
    },
    ref: { group: 'poolwright.dev', kind: 'ArcNodeClass', name: 'default' },
    requirements: {
      comment: 'The cheapest available one of these is used. poolwright get offerings lists all.',
      list: instanceTypes(['Standard_A4_v2', 'Standard_D4s_v3']),
    },
    requests: { cpu: '2' },
  }),
};
