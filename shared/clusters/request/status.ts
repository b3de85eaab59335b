/** How far a request has come. A draft: until a workflow carries requests out, nothing writes it. */
import { z } from 'zod';
import { conditions, extended, text, time } from '../../kube/crds/schema-parts.ts';
import { stageStates, stages } from './stages.ts';

const stage = z.object({
  name: z.enum(stages).describe('The stage.'),
  state: z.enum(stageStates).describe('How far it has come.'),
  startedAt: time('When it began.').optional(),
  finishedAt: time('When it ended.').optional(),
  waitingFor: text('What it waits for.').optional(),
  code: text('Error code, if it failed or is held up.').optional(),
  message: text('The reason as a sentence.').optional(),
});

const cluster = z
  .object({
    id: text('ARM id.').optional(),
    fqdn: text('DNS name of the API server.').optional(),
    kubernetesVersion: text('Kubernetes version that it runs.').optional(),
    nodeResourceGroup: text('Resource group of the nodes.').optional(),
    oidcIssuer: text('URL of the OIDC issuer.').optional(),
  })
  .describe('The cluster, as far as it is known.');

export const clusterRequestStatusSchema = z
  .object({
    observedGeneration: extended(z.int().min(0), {
      description: 'Generation of the request that the status is about.',
      format: 'int64',
    }).optional(),
    stage: z.enum(stages).describe('The stage that the request is in.').optional(),
    stages: extended(z.array(stage), {
      description: 'Every stage of the request.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }).optional(),
    cluster: cluster.optional(),
    expiresAt: time('When the lifetime ends.').optional(),
    conditions: conditions().optional(),
  })
  .describe('How far the request has come.');
