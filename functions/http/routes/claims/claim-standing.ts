/** What holds for a claim right now, besides what was decided about it: who may act, which pauses hold, what runs. */
import { z } from '@hono/zod-openapi';
import { listPauses } from '../../../../shared/nodes/pauses/pauses.ts';
import type { ClaimRef, ClusterServices } from '../../../../shared/nodes/steps/services.ts';
import type { WorkflowInfo } from '../../../../shared/workflow/contract.ts';
import { keyFor } from '../../../../shared/workflow/keys.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { workflowsOf } from '../../../orchestrators/workflows.ts';
import { late } from '../../kit/late-schema.ts';
import { isoTime } from '../../options.ts';
import { shownWorkflow, workflowSchema } from '../workflows/workflow-schemas.ts';

export const standingSchema = late(() =>
  z
    .object({
      acts: z.boolean(),
      reason: z.string().optional(),
      who: z.string().optional(),
      why: z.string().optional(),
    })
    .openapi('Standing'),
);

export const heldSchema = late(() =>
  z.object({
    kind: z.enum(['cluster', 'provider']),
    name: z.string(),
    setBy: z.enum(['configuration', 'request']),
    why: z.string().optional(),
    at: z.string().optional().openapi({ format: 'date-time' }),
  }),
);

export const claimStandingSchema = late(() =>
  z.object({
    now: z.string().openapi({ format: 'date-time', description: "According to the host's clock." }),
    standing: standingSchema().openapi({
      description: 'Whether this deployment acts on the cluster, and if not, why.',
    }),
    pauses: z.array(heldSchema()).openapi({ description: 'Pauses that may hold up the claim.' }),
    workflows: z
      .array(workflowSchema())
      .openapi({ description: 'The latest launch and the latest termination of the claim, if they are still stored.' }),
  }),
);

type ClaimStanding = z.infer<ReturnType<typeof claimStandingSchema>>;

/** Workflows as the engine tells them. */
type Standing = Pick<ClaimStanding, 'standing' | 'pauses'> & { workflows: WorkflowInfo[] };

export async function claimStanding(
  services: FunctionServices,
  cluster: ClusterServices,
  ref: ClaimRef,
): Promise<ClaimStanding> {
  const { workflows, ...standing } = await standingOf(services, cluster, ref);
  return { now: isoTime(services.clock.now()), ...standing, workflows: workflows.map(shownWorkflow) };
}

export async function standingOf(
  services: FunctionServices,
  cluster: ClusterServices,
  ref: ClaimRef,
): Promise<Standing> {
  const [standing, pauses, workflows] = await Promise.all([
    services.ownership.standing(cluster.name),
    pausesOf(services, cluster),
    Promise.all(workflowsOf('NodeClaim').map((workflow) => services.workflows.latest(keyFor(ref, workflow)))),
  ]);
  return { standing, pauses, workflows: workflows.filter((info) => info !== undefined) };
}

export async function pausesOf(services: FunctionServices, cluster: ClusterServices): Promise<ClaimStanding['pauses']> {
  const { name, paused, pausedProviders, providers } = cluster;
  const requested = (await listPauses(services)).filter((one) =>
    one.kind === 'cluster' ? one.name === name : providers.some((provider) => provider.name === one.name),
  );
  return [
    ...(paused ? [{ kind: 'cluster' as const, name, setBy: 'configuration' as const }] : []),
    ...[...pausedProviders].map((provider) => ({
      kind: 'provider' as const,
      name: provider,
      setBy: 'configuration' as const,
    })),
    ...requested.map(({ kind, name: target, why, at }) => ({
      kind,
      name: target,
      setBy: 'request' as const,
      ...(why === '' ? {} : { why }),
      at: isoTime(at),
    })),
  ];
}
