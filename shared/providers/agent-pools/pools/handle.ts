/**
 * Handles of what is going on with a pool: what a journal keeps and another process understands. A handle may have passed
 * through a store that somebody edited, so nothing in it is believed unread.
 */
import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { quoteInput } from '../../../base/problems.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { capacityTypes } from '../../../nodes/claims/spec/well-known.ts';

const ownerSchema = z.object({
  deployment: z.string(),
  cluster: z.string(),
  claimUid: z.string(),
  attempt: z.number().int().min(0),
});

const operationSchema = z.object({
  url: z.string(),
  by: z.enum(['azure-async-operation', 'location']),
  spot: z.boolean().exactOptional(),
});

const base = {
  v: z.literal(1),
  of: z.enum(['aks', 'arc']),
  pool: z.string().regex(/^[a-z][a-z0-9]{0,11}$/),
  owner: ownerSchema,
  /** When the claim was created: it tells a predecessor's pool of this claim from one of an earlier namesake. */
  createdAt: z.number().exactOptional(),
  /** Absent when nobody knows where to ask: then the pool itself is the answer. */
  operation: operationSchema.exactOptional(),
};

const createSchema = z.object({
  ...base,
  do: z.literal('create'),
  claimName: z.string(),
  offering: z.object({ instanceType: z.string(), zone: z.string(), capacityType: z.enum(capacityTypes) }),
  /** What the claim learns from the pool, so that a finished create need not be looked up once more. */
  labels: z.record(z.string(), z.string()),
  imageID: z.string().exactOptional(),
});
export type CreateHandle = z.infer<typeof createSchema>;

const deleteSchema = z.object({ ...base, do: z.literal('delete') });
export type DeleteHandle = z.infer<typeof deleteSchema>;

/** Without the fields that are not there: a handle is JSON, and `undefined` is none. */
export const toHandle = (handle: CreateHandle | DeleteHandle): Json => JSON.parse(JSON.stringify(handle)) as Json;

export const readCreateHandle = (handle: Json, of: string): Result<CreateHandle> => read(createSchema, handle, of);
export const readDeleteHandle = (handle: Json, of: string): Result<DeleteHandle> => read(deleteSchema, handle, of);

function read<T extends { of: string; pool: string; operation?: { url: string } }>(
  schema: z.ZodType<T>,
  handle: Json,
  of: string,
): Result<T> {
  const parsed = schema.safeParse(handle);
  if (!parsed.success || parsed.data.of !== of) return failed('invalid', `this is not a handle of the provider ${of}`);
  const url = parsed.data.operation?.url;
  if (url !== undefined && !isOperationUrl(url)) {
    return failed(
      'invalid',
      `the history of this claim has ${quoteInput(url)} as the address of the operation on agent pool ${parsed.data.pool}, which is not valid; the attempt is abandoned, and anything that it created is found by name and deleted`,
    );
  }
  return ok(parsed.data);
}

/** Whether it is Azure's own is for the client to say: it knows where ARM is. */
const isOperationUrl = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:';
