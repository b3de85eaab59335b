/** Requests and answers of the simulated cloud's HTTP API. */
import { z } from 'zod';
import type { Json } from '../../shared/base/json.ts';
import { taintEffects } from '../../shared/nodes/claims/spec/types.ts';
import { capacityTypes } from '../../shared/nodes/claims/spec/well-known.ts';

export interface Answer {
  status: number;
  body: string;
  retryAfterSeconds?: number | undefined;
}

export const json = (status: number, body: Json): Answer => ({ status, body: JSON.stringify(body) });

/** Every error has a code for programs and a message for people. `nothingDone` is only there when it is certain. */
type ErrorCode =
  | 'Throttled'
  | 'OperationInProgress'
  | 'NameInUse'
  | 'TagMismatch'
  | 'InstanceNotFound'
  | 'NoSuchRoute'
  | 'InvalidRequest'
  | 'TokenMismatch'
  | 'InsufficientCapacity'
  | 'QuotaExceeded'
  | 'Unauthenticated'
  | 'Forbidden'
  | 'InternalError'
  | 'BadGateway'
  | 'ServiceUnavailable';

export const problem = (
  status: number,
  code: ErrorCode,
  message: string,
  more: { [key: string]: Json } = {},
  retryAfterSeconds?: number,
): Answer => ({ status, body: JSON.stringify({ error: { code, message, ...more } }), retryAfterSeconds });

const name = z.string().min(1).max(253);
const texts = z.record(z.string().min(1).max(512), z.string().max(512));

export const tagsSchema = z.strictObject({ tags: texts });

export const createSchema = z.strictObject({
  name,
  token: z.string().min(1).max(128).optional(),
  instanceType: name,
  zone: name,
  capacityType: z.enum(capacityTypes),
  tags: texts.default({}),
  labels: texts.default({}),
  taints: z
    .array(
      z.object({
        key: name,
        value: z.string().max(253).exactOptional(),
        effect: z.enum(taintEffects),
        timeAdded: z.string().exactOptional(),
      }),
    )
    .max(100)
    .default([]),
  image: name.optional(),
  /** Kept, and handed to nobody: there is nothing to boot. */
  userData: z.string().max(16_384).optional(),
  bootSeconds: z.number().min(0).max(86_400).optional(),
});
