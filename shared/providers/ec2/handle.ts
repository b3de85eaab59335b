/** What a workflow keeps of a create or a delete that is under way: enough to ask on in any process. */
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';

const ownerSchema = z.strictObject({
  deployment: z.string(),
  cluster: z.string(),
  claimUid: z.string(),
  attempt: z.int().min(1),
});

const handleSchema = z.strictObject({
  v: z.literal(1),
  of: z.literal('ec2'),
  do: z.enum(['create', 'delete']),
  id: z.string().regex(/^i-[0-9a-z]+$/),
  owner: ownerSchema,
  /** When it was begun: until lists must show it, that they do not proves nothing. */
  at: z.number(),
});

export type Handle = z.infer<typeof handleSchema>;

export const toHandle = (handle: Omit<Handle, 'v' | 'of'>): Json => ({ v: 1, of: 'ec2', ...handle });

export function readHandle(handle: Json, wanted: Handle['do']): Result<Handle> {
  const read = handleSchema.safeParse(handle, { jitless: true });
  if (read.success && read.data.do === wanted) return ok(read.data);
  return failed('invalid', `this is not a handle of a ${wanted} of the ec2 provider`);
}
