/** How the routes of one claim name it. */
import { z } from '@hono/zod-openapi';
import { objectName, objectUid } from '../../../../events/envelope.ts';

const fitting = (schema: { safeParse(value: string): { success: boolean } }) => (value: string) =>
  schema.safeParse(value).success;

export const claimParams = z.object({
  cluster: z.string().max(253),
  name: z.string().max(253).refine(fitting(objectName()), 'must be the name of a Kubernetes object'),
});

/** Of a claim that may be gone. */
export const claimUid = z
  .string()
  .max(128)
  .refine(fitting(objectUid()), 'must be the uid of a Kubernetes object')
  .optional();

/** Neither the cluster nor the decisions know the name. */
export const unknownClaim = (cluster: string, name: string): string =>
  `Cluster ${cluster} has no NodeClaim ${name}, and the host has no decisions about one of that name. If it was deleted, its uid may help: ?uid=….`;
