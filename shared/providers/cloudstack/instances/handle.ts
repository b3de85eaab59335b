/** What a workflow keeps of a create or a delete that is under way: enough to ask on in any process. */
import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';

const ownerSchema = z.strictObject({
  deployment: z.string(),
  cluster: z.string(),
  claimUid: z.string(),
  attempt: z.int().min(1),
});

const handleSchema = z.strictObject({
  v: z.literal(1),
  of: z.literal('cloudstack'),
  do: z.enum(['create', 'delete']),
  id: z.string().regex(/^[0-9a-zA-Z-]{1,64}$/),
  /** The asynchronous job. Absent where the VM was found, and nobody knows its job. */
  job: z.string().max(64).optional(),
  owner: ownerSchema,
  /** When it was begun: until lists must show it, that they do not proves nothing. */
  at: z.number(),
  /** How often it was looked at already. */
  looks: z.int().min(0).optional(),
  /** What tags it must have; absent when they were written. */
  tags: z.record(z.string(), z.string()).optional(),
  /** Data volumes that the deploy made, and that still have to be marked as ours. */
  volumes: z.int().min(1).optional(),
});

export type Handle = z.infer<typeof handleSchema>;

export const toHandle = (handle: Omit<Handle, 'v' | 'of'>): Json => {
  const { job, looks, tags, volumes, ...rest } = handle;
  return {
    v: 1,
    of: 'cloudstack',
    ...rest,
    ...(job === undefined ? {} : { job }),
    ...(looks === undefined ? {} : { looks }),
    ...(tags === undefined ? {} : { tags }),
    ...(volumes === undefined ? {} : { volumes }),
  };
};

export function readHandle(handle: Json, wanted: Handle['do']): Result<Handle> {
  const read = handleSchema.safeParse(handle, { jitless: true });
  if (read.success && read.data.do === wanted) return ok(read.data);
  return failed('invalid', `this is not a handle of a ${wanted} of the cloudstack provider`);
}
