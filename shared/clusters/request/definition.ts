/** ClusterRequest as a kind of the cluster. Requests are in namespaces: a namespace is a team. */
import { ageColumn, conditionPath, type KindDefinition, readyColumn } from '../../kube/crds/definition.ts';
import { clusterRequestKind } from './kind.ts';
import { clusterRequestSpecSchema } from './schema.ts';
import { clusterRequestStatusSchema } from './status.ts';

export const clusterRequestDefinition: KindDefinition = {
  ...clusterRequestKind,
  scope: 'Namespaced',
  shortNames: ['clreq'],
  categories: ['poolwright'],
  description: 'A request for a whole AKS cluster.',
  spec: clusterRequestSpecSchema,
  specRequired: true,
  status: clusterRequestStatusSchema,
  columns: [
    readyColumn('Whether the cluster is ready.'),
    { name: 'Stage', type: 'string', jsonPath: '.status.stage', description: 'Stage that the request is in.' },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: conditionPath('Ready', 'reason'),
      description: 'Why it is, or is not, Ready.',
    },
    { name: 'Location', type: 'string', jsonPath: '.spec.location', description: 'Location of the cluster.' },
    {
      name: 'Version',
      type: 'string',
      jsonPath: '.status.cluster.kubernetesVersion',
      description: 'Kubernetes version that the cluster runs.',
    },
    ageColumn,
    {
      name: 'Nodes',
      type: 'string',
      jsonPath: '.spec.nodes',
      description: 'Who makes nodes.',
      wide: true,
    },
    {
      name: 'API server',
      type: 'string',
      jsonPath: '.status.cluster.fqdn',
      description: 'DNS name of the API server.',
      wide: true,
    },
    {
      name: 'Expires',
      type: 'string',
      jsonPath: '.status.expiresAt',
      description: 'When the lifetime ends.',
      wide: true,
    },
    {
      name: 'Message',
      type: 'string',
      jsonPath: conditionPath('Ready', 'message'),
      description: 'The reason as a sentence.',
      wide: true,
    },
  ],
};
