/** How an explanation looks from outside. */
import { z } from '@hono/zod-openapi';
import { workflowSchema } from '../workflows/workflow-schemas.ts';
import { heldSchema, standingSchema } from './claim-standing.ts';
import { decisionSchema } from './decision-schema.ts';

const time = z.string().openapi({ format: 'date-time' });

const diagnosisSchema = z.object({
  state: z.string().openapi({ description: 'How far the claim is.' }),
  code: z.string().optional().openapi({
    description: 'Its entry in the list of errors; absent where nothing is wrong, or nothing with a name.',
  }),
  cause: z.string(),
  fix: z.string(),
  well: z.literal(true).optional().openapi({ description: 'Nothing is wrong: it is ready, or on its way.' }),
  since: time.optional(),
  until: time.optional().openapi({ description: 'When it goes on by itself.' }),
});

const conditionSchema = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().int().optional(),
});

export const explanationSchema = z
  .object({
    cluster: z.string(),
    name: z.string(),
    uid: z.string(),
    now: time.openapi({ description: 'By the clock of the host.' }),
    diagnosis: diagnosisSchema,
    began: z
      .object({
        workflow: z.enum(['launch', 'terminate']),
        event: z.string().optional(),
        type: z.string().optional(),
        observedBy: z.string(),
        at: time,
      })
      .optional()
      .openapi({ description: 'What began its life, or its end.' }),
    stages: z.array(z.object({ name: z.string(), at: time })).openapi({ description: 'Those it reached, in order.' }),
    waits: z
      .array(z.object({ workflow: z.string(), since: time, text: z.string().optional(), until: time.optional() }))
      .openapi({ description: 'What each workflow that runs for it waits for.' }),
    decisions: z.array(decisionSchema).openapi({ description: 'Newest last.' }),
    workflows: z
      .array(workflowSchema)
      .openapi({ description: 'The newest launch and the newest end of the claim, as far as they are kept.' }),
    pauses: z.array(heldSchema).openapi({ description: 'Those that may hold the claim.' }),
    standing: standingSchema
      .optional()
      .openapi({ description: 'Whether this deployment acts on the cluster, and why not.' }),
    ours: z.boolean().optional().openapi({ description: 'False: no provider here serves its node class.' }),
    conditions: z.array(conditionSchema),
    events: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string(), at: time })),
    deadLetters: z
      .array(z.object({ id: z.string(), reason: z.string(), at: time.optional() }))
      .openapi({ description: 'Those that speak of the claim; looked for where nothing runs for it.' }),
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
      .openapi({ description: 'With `trace=true`: what took how long.' }),
    missing: z.array(z.enum(['events', 'dead-letters'])).openapi({ description: 'What the host could not ask.' }),
  })
  .openapi('Explanation');
