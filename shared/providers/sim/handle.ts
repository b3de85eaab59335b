/** Handles of operations at the simulated cloud: what a journal keeps, and another process understands. */
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { InstanceTags } from '../contract.ts';

const schema = z.object({
  v: z.literal(1),
  id: z.string().min(1),
  owner: z.object({
    deployment: z.string(),
    cluster: z.string(),
    claimUid: z.string(),
    attempt: z.number().int().min(0),
  }),
});

export const toHandle = (id: string, owner: InstanceTags): Json => ({ v: 1, id, owner: { ...owner } });

export function readHandle(handle: Json): { id: string; owner: InstanceTags } | undefined {
  const parsed = schema.safeParse(handle);
  return parsed.success ? parsed.data : undefined;
}
