/** `--settings` of `poolwright simulate`: checked whole, because a misspelt fault would quietly never strike. */
import { z } from 'zod';
import { didYouMean } from '../shared/claims/nearest.ts';
import { faultRulesSchema } from '../sim/cloud/faults.ts';
import type { SimCloudOptions } from '../sim/cloud/start.ts';
import { UserError } from './user-error.ts';

const seconds = z.number().min(0).max(1_000_000);
const secondsOrNever = seconds.nullable();

const shape = {
  idempotency: z.enum(['token', 'name', 'none']),
  bootSeconds: seconds,
  deleteSeconds: seconds,
  registerSeconds: secondsOrNever,
  readySeconds: secondsOrNever,
  gpuSeconds: seconds,
  startupTaintSeconds: secondsOrNever,
  nodeLostSeconds: secondsOrNever,
  cloudControllerSeconds: secondsOrNever,
  rejoinDeletedNodes: z.boolean(),
  listLagSeconds: seconds,
  quota: z.int().min(0).nullable(),
  seed: z.int(),
  latencyMs: z.number().min(0).max(600_000),
  kubeletConcurrency: z.int().min(1).max(10_000),
  faults: faultRulesSchema,
};
const schema = z.strictObject(shape).partial();

export function readCloudSettings(text: string): NonNullable<SimCloudOptions> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(`--settings is not JSON: ${why}. It looks like '{"bootSeconds": 2, "seed": 7}'.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    // As they were written: the cloud fills in the rest of a rule itself, and undefined is not a setting.
    return value as SimCloudOptions;
  }
  const problems = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys' || path !== '') return [`${path || 'the whole'}: ${issue.message}`];
    return issue.keys.map((key) => `${key}: there is no such setting${didYouMean(key, Object.keys(shape))}`);
  });
  throw new UserError(`--settings can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}
