/** How the explanation of a pool or a node class looks from outside. */
import { z } from '@hono/zod-openapi';
import { late } from '../../kit/late-schema.ts';
import { heldSchema, standingSchema } from '../claims/claim-standing.ts';
import { conditionSchema, diagnosisSchema } from '../claims/explanation-schema.ts';

const time = z.string().openapi({ format: 'date-time' });

export const objectExplanationSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      kind: z.string().openapi({ description: '`NodePool`, or the kind of the node class.' }),
      name: z.string(),
      uid: z.string(),
      now: time.openapi({ description: "According to the host's clock." }),
      diagnosis: diagnosisSchema(),
      replicas: z.number().int().optional().openapi({ description: 'Of a static pool.' }),
      nodes: z.number().int().optional().openapi({ description: 'Of a pool: the nodes that have joined.' }),
      claims: z
        .array(
          z.object({
            name: z.string(),
            ready: z.boolean(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .optional()
        .openapi({ description: 'Of a pool: the claims that it owns, with the first unmet condition of each.' }),
      failure: z
        .object({ claim: z.string(), reason: z.string(), message: z.string(), at: time })
        .optional()
        .openapi({ description: 'Of a pool: the last of its claims that failed.' }),
      pools: z.array(z.string()).optional().openapi({ description: 'Of a node class: the pools that refer to it.' }),
      ours: z.boolean().optional().openapi({ description: 'False: no provider here serves the node class.' }),
      standing: standingSchema()
        .optional()
        .openapi({ description: 'Whether this deployment acts on the cluster, and if not, why.' }),
      pauses: z.array(heldSchema()).openapi({ description: 'Pauses that may hold it up.' }),
      conditions: z.array(conditionSchema()),
      events: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string(), at: time })),
      missing: z.array(z.enum(['events'])).openapi({ description: 'What the host could not query.' }),
    })
    .openapi('ObjectExplanation'),
);
