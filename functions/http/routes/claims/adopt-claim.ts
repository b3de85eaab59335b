import { z } from '@hono/zod-openapi';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { nodeClaims } from '../../../../shared/kube/contract.ts';
import { adoptionNeed } from '../../../../shared/nodes/adopt/adopt.ts';
import { type StoredClaim, viewClaim } from '../../../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../../../shared/nodes/steps/claim-shape.ts';
import { ableProviders, servedClaim } from '../../../../shared/nodes/steps/provider-choice.ts';
import type { ClusterServices } from '../../../../shared/nodes/steps/services.ts';
import { instanceIdOf } from '../../../../shared/providers/instance-id.ts';
import type { AdoptClaimOutput } from '../../../questions/answers/adopt-claim.ts';
import { type ProviderQuestions, questionsHere } from '../../../questions/provider-questions.ts';
import { adoptClaim } from '../../../questions/questions.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { refusals, refuseAnswer } from '../../kit/refuse-answer.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { claimParams } from './claim-params.ts';

const bodySchema = closedObject({ dryRun: z.boolean().optional() });

const adoptedSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      name: z.string(),
      uid: z.string(),
      need: z.enum(['foreign', 'unreadable']).openapi({
        description:
          '`foreign`: another provisioner created its instance. `unreadable`: its attempt record cannot be read.',
      }),
      provider: z.string(),
      instance: z.string(),
      providerID: z.string(),
      instanceType: z.string(),
      zone: z.string(),
      attempt: z.number().int(),
      tags: z
        .record(z.string(), z.string())
        .openapi({ description: 'The tags that were set on the instance, or would be.' }),
      done: z.boolean().openapi({ description: 'False: a dry run; nothing was changed.' }),
    })
    .openapi('Adoption'),
);

type Adopted = z.infer<ReturnType<typeof adoptedSchema>>;

const route = apiRoute({
  method: 'post',
  path: '/v1/claims/{cluster}/{name}/adopt',
  access: 'adopt',
  operationId: 'adoptClaim',
  summary:
    'Take over an instance that another provisioner created for a claim, or rebuild an unreadable attempt record',
  description:
    'Succeeds only if all tags show that the instance was created for this claim and no other deployment owns it. Safe to repeat.',
  middleware: jsonBody({ maxBytes: 4096, schema: bodySchema, optional: true }),
  request: {
    params: claimParams,
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: { description: 'What was adopted, or would be.', content: jsonAnswer(() => adoptedSchema()) },
    ...problems(401, 403, 413, 415, ...refusals),
  },
});

export function addAdoptClaim(app: HttpApp, { services, questions = questionsHere(services) }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster: clusterName, name } = c.req.valid('param');
    const { dryRun = false } = c.get('json');
    const cluster = services.cluster(clusterName);
    if (!cluster) {
      const detail = asSentence(unknownName('cluster', clusterName, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    const { signal } = c.req.raw;
    const read = await cluster.api.get<StoredClaim>(nodeClaims, { name }, signal);
    if (!read.ok && read.error.kind === 'not-found') {
      return problem(c, 404, 'unknown-claim', `Cluster ${clusterName} has no NodeClaim ${name}.`);
    }
    if (!read.ok) {
      return problem(c, 503, 'cluster-unavailable', `Cluster ${clusterName} can't be read: ${read.error.message}`);
    }
    const adopted = await adopt({ questions, cluster, dryRun, signal }, shapeClaim(read.value));
    return adopted.ok ? c.json(adopted.value, 200) : refuseAnswer(c, adopted.error, refused);
  });
}

/** Nothing is wrong with the request, but with the claim or its machine. */
const refused = { conflict: { status: 409, kind: 'not-adopted' } } as const;

interface Adoption {
  questions: ProviderQuestions;
  cluster: ClusterServices;
  dryRun: boolean;
  signal: AbortSignal;
}

/** Every provider that could have its machine is asked before anything is done: one that does not answer is no decision. */
async function adopt(adoption: Adoption, claim: StoredClaim): Promise<Result<Adopted>> {
  const { questions, cluster, dryRun, signal } = adoption;
  const { name } = claim.metadata;
  const view = viewClaim(claim);
  const need = adoptionNeed(name, view);
  if (!need.ok) return need;
  const serving = cluster.serving(servedClaim(claim)).map(({ provider }) => provider);
  // Without a record its machine may also be with one that would not take the claim today.
  const able =
    need.value === 'foreign'
      ? serving.filter((one) => instanceIdOf(one, view.providerID ?? '') !== undefined)
      : ableProviders(cluster, claim);
  if (able.length === 0) return nobody(name, serving.length > 0 ? view.providerID : undefined);
  const looked: { provider: string; found: AdoptClaimOutput }[] = [];
  for (const { name: provider } of able) {
    const found = await questions.ask(adoptClaim, { cluster: cluster.name, name, provider, dryRun: true }, signal);
    if (!found.ok) return found;
    looked.push({ provider, found: found.value });
  }
  const holders = looked.filter(({ found }) => found.instances.length > 0);
  const instances = holders.flatMap(({ provider, found }) => found.instances.map(({ id }) => `${provider} ${id}`));
  const [holder] = holders;
  if (holder === undefined || instances.length !== 1)
    return undecided(
      name,
      able.map((one) => one.name),
      instances,
    );
  const input = { cluster: cluster.name, name, provider: holder.provider, dryRun };
  const done = dryRun ? ok(holder.found) : await questions.ask(adoptClaim, input, signal);
  return done.ok ? shown(cluster.name, name, holder.provider, done.value) : done;
}

function shown(cluster: string, name: string, provider: string, found: AdoptClaimOutput): Result<Adopted> {
  const { uid, need, tags, done, instances } = found;
  const [instance] = instances;
  if (instance === undefined)
    return failed('conflict', `the instance of claim ${name} has just disappeared; try again`);
  const { id, ...rest } = instance;
  return ok({ cluster, name, uid, need, provider, instance: id, ...rest, tags, done });
}

const nobody = (name: string, providerID: string | undefined): Result<never> =>
  failed(
    'conflict',
    providerID === undefined
      ? `no provider of this cluster serves the node class of claim ${name}; configure the one that does`
      : `${providerID}, the instance of claim ${name}, does not belong to a provider that serves its node class here; configure the provider that created it`,
  );

const undecided = (name: string, asked: readonly string[], instances: readonly string[]): Result<never> =>
  failed(
    'conflict',
    instances.length === 0
      ? `no instance of claim ${name} was found at ${asked.join(' and ')}, so there is nothing to adopt. ` +
          'If you are sure that none exists, remove the annotation poolwright.dev/attempt to relaunch the claim; otherwise delete the claim'
      : `claim ${name} has several instances (${instances.join(', ')}), so the right one is ambiguous. Delete all but one, and try again`,
  );
