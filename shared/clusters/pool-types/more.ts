/** Pool types that a platform team adds to the built-in ones, or puts in the place of one. */
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { type Checked, type Problem, problemsBelow } from '../../base/problems.ts';
import { parseSpec } from '../../providers/node-class-spec.ts';
import { builtInPoolTypes } from './built-in.ts';
import type { PoolType, PoolTypes } from './pool-type.ts';

const name = z
  .string()
  .regex(/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/, 'must be 1 to 40 lowercase letters, digits and dashes');
const size = z.string().regex(/^[A-Za-z0-9_]{1,80}$/, 'must be the name of a VM size, such as Standard_D4s_v5');
const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d+(\.\d+)?([kMGTPE]|[KMGTPE]i|m)?$/, 'must be a quantity, such as 1000 or 2000Gi'));

const typeSchema = z.strictObject({
  description: z.string().min(1).max(200),
  family: z.string().regex(/^[A-Z]{1,4}$/, 'must be a family of VM sizes, such as D or NC'),
  versions: z.array(z.string().regex(/^\d{1,2}$/, 'must be a number, such as "5"')).default([]),
  vmSizes: z.array(size).min(1).max(50),
  acceptedVmSizes: z.array(size).max(200).default([]),
  limits: z.strictObject({ cpu: quantity, memory: quantity }),
  taints: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        value: z.string().min(1).optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      }),
    )
    .default([]),
});

const known = Object.keys(typeSchema.shape);

/** @param more Names and what is behind them, as a file has them. */
export function withPoolTypes(more: unknown): Checked<PoolTypes> {
  if (!isObject(more))
    return { ok: false, problems: [{ path: '', message: 'must be an object of pool types by name' }] };
  const types = new Map(builtInPoolTypes);
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(more)) {
    const named = name.safeParse(key);
    if (!named.success) problems.push({ path: key, message: named.error.issues[0]?.message ?? 'is not a name' });
    const parsed = parseSpec(typeSchema, value as Json, known);
    if (!parsed.ok) {
      // The paths begin with `spec`, as those of objects do.
      const own = parsed.problems.map((one) => ({ ...one, path: one.path.replace(/^spec\.?/, '') }));
      problems.push(...problemsBelow(key, own));
    } else {
      const { acceptedVmSizes, ...rest } = parsed.value;
      const accepted = [...new Set([...rest.vmSizes, ...acceptedVmSizes])];
      types.set(key, { ...rest, name: key, acceptedVmSizes: accepted } satisfies PoolType);
    }
  }
  return problems.length === 0 ? { ok: true, value: types } : { ok: false, problems };
}
