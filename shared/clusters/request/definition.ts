/** ClusterRequest as a kind of the cluster. Requests are in namespaces: a namespace is a team. */
import {
  ageColumn,
  conditionPath,
  type KindDefinition,
  readyColumn,
  reasonColumn,
} from '../../kube/crds/definition.ts';
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
    { name: 'Location', type: 'string', jsonPath: '.spec.location', description: 'Location of the cluster.' },
    {
      name: 'Version',
      type: 'string',
      jsonPath: '.spec.kubernetesVersion',
      description: 'Kubernetes version that is wanted.',
    },
    ageColumn,
    reasonColumn,
    {
      name: 'Message',
      type: 'string',
      jsonPath: conditionPath('Ready', 'message'),
      description: 'The reason as a sentence.',
      wide: true,
    },
  ],
};
