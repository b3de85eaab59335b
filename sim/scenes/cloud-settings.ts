/** `--settings` of `poolwright simulate`: checked whole, because a misspelled fault would quietly never strike. */

import { z } from 'zod';
import { errorText } from '../../shared/base/error-text.ts';
import { didYouMean } from '../../shared/base/nearest.ts';
import type { SimCloudOptions } from '../cloud/start.ts';
import { faultRulesSchema } from '../kit/faults.ts';

export const seconds = z.number().min(0).max(1_000_000);
export const secondsOrNever = seconds.nullable();

/** How machines behave as nodes, on every cloud. */
export const machineShape = {
  registerSeconds: secondsOrNever,
  readySeconds: secondsOrNever,
  gpuSeconds: seconds,
  startupTaintSeconds: secondsOrNever,
  nodeLostSeconds: secondsOrNever,
  cloudControllerSeconds: secondsOrNever,
  rejoinDeletedNodes: z.boolean(),
  listLagSeconds: seconds,
};

/** What every simulated cloud takes besides its behavior. */
export const everyCloudShape = {
  seed: z.int(),
  latencyMs: z.number().min(0).max(600_000),
  faults: faultRulesSchema,
};

const shape = {
  idempotency: z.enum(['token', 'name', 'none']),
  bootSeconds: seconds,
  deleteSeconds: seconds,
  ...machineShape,
  quota: z.int().min(0).nullable(),
  ...everyCloudShape,
  kubeletConcurrency: z.int().min(1).max(10_000),
};
const schema = z.strictObject(shape).partial();

/** What a person wrote into `--settings` does not make sense; the message says what and where. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export const readCloudSettings = (text: string): NonNullable<SimCloudOptions> =>
  readSettings<SimCloudOptions>(text, schema, Object.keys(shape), '{"bootSeconds": 2, "seed": 7}');

/** The settings as they were written: whoever uses them fills in the rest of a rule himself, and undefined is none. */
export function readSettings<T>(text: string, expected: z.ZodType, known: readonly string[], example: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = errorText(error);
    throw new SettingsError(`--settings is not JSON: ${why}. Example: '${example}'.`);
  }
  const parsed = expected.safeParse(value);
  if (parsed.success) return value as T;
  const problems = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys' || path !== '') return [`${path || 'the whole'}: ${issue.message}`];
    return issue.keys.map((key) => `${key}: there is no such setting${didYouMean(key, known)}`);
  });
  throw new SettingsError(`--settings is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}
