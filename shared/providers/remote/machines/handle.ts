/** What a workflow keeps of a create or a delete that is under way: enough to go on in any process. */
import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';

const ownerSchema = z.strictObject({
  deployment: z.string(),
  cluster: z.string(),
  claimUid: z.string(),
  attempt: z.int().min(1),
});

const common = {
  v: z.literal(1),
  of: z.literal('remote'),
  server: z.string().regex(/^[a-z0-9-]{1,63}$/),
  name: z.string().regex(/^[a-z0-9-]{1,63}$/),
  owner: ownerSchema,
  /** When it was begun. */
  at: z.number(),
  /** Absent: the server said that it was complete, or the machine was found. */
  task: z.string().max(1024).optional(),
};

const createSchema = z.strictObject({
  ...common,
  do: z.literal('create'),
  /** The server's own id of the machine. */
  id: z.string().min(1).max(1024),
});

const deleteSchema = z.strictObject({
  ...common,
  do: z.literal('delete'),
  /** A server of others may have made several of one name. */
  ids: z.array(z.string().min(1).max(1024)).min(1).max(20),
});

export type CreateHandle = z.infer<typeof createSchema>;
export type DeleteHandle = z.infer<typeof deleteSchema>;

export const toHandle = (handle: CreateHandle | DeleteHandle): Json => JSON.parse(JSON.stringify(handle)) as Json;

export const readCreateHandle = (handle: Json): Result<CreateHandle> => read(createSchema, handle, 'create');
export const readDeleteHandle = (handle: Json): Result<DeleteHandle> => read(deleteSchema, handle, 'delete');

function read<T>(schema: z.ZodType<T>, handle: Json, what: string): Result<T> {
  const parsed = schema.safeParse(handle);
  return parsed.success
    ? ok(parsed.data)
    : failed('invalid', `this is not a handle of a ${what} of the remote provider`);
}
