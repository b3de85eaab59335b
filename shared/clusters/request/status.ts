/** How far a request has come: what the workflow writes, and what people and programs read. */
import { z } from 'zod';
import { conditions, extended, text, time } from '../../kube/crds/schema-parts.ts';
import { stageStates, stages } from './stages.ts';

const stage = z.object({
  name: z.enum(stages).describe('The stage.'),
  state: z.enum(stageStates).describe('How far it has come.'),
  startedAt: time('When it began.').optional(),
  finishedAt: time('When it ended.').optional(),
  seconds: extended(z.int().min(0), { description: 'How long it took.', format: 'int32' }).optional(),
  deadline: time('When it counts as failed.').optional(),
  waitingFor: text('What it waits for.').optional(),
  code: text('Error code, if it failed or is held up.').optional(),
  message: text('The reason as a sentence.').optional(),
});

const cluster = z
  .object({
    id: text('ARM id.').optional(),
    uid: text('Uid of its namespace kube-system.').optional(),
    fqdn: text('DNS name of the API server.').optional(),
    kubernetesVersion: text('Kubernetes version that it runs.').optional(),
    nodeResourceGroup: text('Resource group of the nodes.').optional(),
    oidcIssuer: text('URL of the OIDC issuer.').optional(),
    identityPrincipalID: text('Principal id of the identity that was created for it.').optional(),
    identityClientID: text('Client id of that identity.').optional(),
    kubeconfigSecret: text('Secret with a kubeconfig, in the namespace of the request.').optional(),
    deployKey: text('Public key that has to be entered at the Git host.').optional(),
    registeredAs: text('Name under which this deployment serves it.').optional(),
  })
  .describe('The cluster, as far as it is known.');

const drift = z.object({
  object: text('Object, such as ManagedCluster/web.'),
  field: text('Field of it.'),
  wanted: text('What the request amounts to.').optional(),
  found: text('What is there.').optional(),
});

const planned = z.object({
  stage: z.enum(stages).describe('The stage.'),
  objects: z.array(z.string()).describe('What would be applied.'),
});

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
    attempt: extended(z.int().min(1), {
      description: 'How many times the request has been begun.',
      format: 'int32',
    }).optional(),
    startedAt: time('When the work on the request began.').optional(),
    clusterReadyAt: time('When the cluster was ready for the first time.').optional(),
    readyAt: time('When everything was ready for the first time.').optional(),
    expiresAt: time('When the lifetime ends.').optional(),
    retryAt: time('When a request that has failed is tried again.').optional(),
    warnings: z.array(z.string()).describe('What the author of the request should know.').optional(),
    plan: extended(z.array(planned), {
      description: 'What would be applied, for a dry run.',
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    drift: extended(z.array(drift), {
      description: 'Where the cluster differs from the request.',
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    driftCheckedAt: time('When that was last compared.').optional(),
    conditions: conditions().optional(),
  })
  .describe('How far the request has come.');

export type ClusterRequestStatus = z.infer<typeof clusterRequestStatusSchema>;
export type StageStatus = NonNullable<ClusterRequestStatus['stages']>[number];
