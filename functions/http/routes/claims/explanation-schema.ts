/** How an explanation looks from outside. */
import { z } from '@hono/zod-openapi';
import { workflowsOf } from '../../../orchestrators/workflows.ts';
import { late } from '../../kit/late-schema.ts';
import { workflowSchema } from '../workflows/workflow-schemas.ts';
import { heldSchema, standingSchema } from './claim-standing.ts';
import { decisionSchema } from './decision-schema.ts';

const time = z.string().openapi({ format: 'date-time' });

export const diagnosisSchema = late(() =>
  z.object({
    state: z.string().openapi({ description: 'How far it is, in words.' }),
    code: z.string().optional().openapi({
      description: 'Its entry in the list of errors; absent if nothing is wrong or the problem has no entry.',
    }),
    cause: z.string(),
    fix: z.string(),
    well: z.literal(true).optional().openapi({ description: 'Nothing is wrong: it is ready, or in progress.' }),
    since: time.optional(),
    until: time.optional().openapi({ description: 'When it continues automatically.' }),
  }),
);

export const conditionSchema = late(() =>
  z.object({
    type: z.string(),
    status: z.enum(['True', 'False', 'Unknown']),
    reason: z.string(),
    message: z.string(),
    lastTransitionTime: z.string(),
    observedGeneration: z.number().int().optional(),
  }),
);

export const explanationSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      name: z.string(),
      uid: z.string(),
      now: time.openapi({ description: "According to the host's clock." }),
      gone: z.literal(true).optional().openapi({ description: 'The claim was deleted; this is what was recorded.' }),
      diagnosis: diagnosisSchema(),
      began: z
        .object({
          workflow: z.enum(workflowsOf('NodeClaim')),
          event: z.string().optional(),
          type: z.string().optional(),
          observedBy: z.string(),
          at: time,
        })
        .optional()
        .openapi({ description: 'What started its launch or its termination.' }),
      stages: z.array(z.object({ name: z.string(), at: time, whole: z.literal(true).optional() })).openapi({
        description: 'The stages that it reached, in order. `whole`: the time is known to the second only.',
      }),
      waits: z
        .array(z.object({ workflow: z.string(), since: time, text: z.string().optional(), until: time.optional() }))
        .openapi({ description: 'What each running workflow of the claim is waiting for.' }),
      decisions: z.array(decisionSchema()).openapi({ description: 'Newest last.' }),
      workflows: z.array(workflowSchema()).openapi({
        description: 'The latest launch and the latest termination of the claim, if they are still stored.',
      }),
      pauses: z.array(heldSchema()).openapi({ description: 'Pauses that may hold up the claim.' }),
      standing: standingSchema()
        .optional()
        .openapi({ description: 'Whether this deployment acts on the cluster, and if not, why.' }),
      ours: z.boolean().optional().openapi({ description: 'False: no provider here serves its node class.' }),
      conditions: z.array(conditionSchema()),
      events: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string(), at: time })),
      deadLetters: z
        .array(z.object({ id: z.string(), reason: z.string(), at: time.optional() }))
        .openapi({ description: 'Dead letters about the claim; searched only when no workflow is running for it.' }),
      spans: z
        .array(
          z.object({
            kind: z.enum(['event', 'step', 'wait', 'call', 'decision', 'stage']),
            name: z.string(),
            from: time,
            to: time,
            note: z.string().optional(),
          }),
        )
        .optional()
        .openapi({ description: 'With `trace=true`: how long each part took.' }),
      missing: z.array(z.enum(['events', 'dead-letters'])).openapi({ description: 'What the host could not query.' }),
    })
    .openapi('Explanation'),
);
