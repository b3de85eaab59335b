/** SimNodeClass: what a user may say about machines of the simulated cloud. */
import { z } from 'zod';
import { parseDuration } from '../../claims/durations.ts';
import { didYouMean } from '../../claims/nearest.ts';
import { type Checked, quoteInput } from '../../claims/problems.ts';
import type { Json } from '../../json.ts';

const duration = z.string().superRefine((text, context) => {
  const parsed = parseDuration(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: 'it must be a duration such as 90s or 15m' });
});

const deadlinesSchema = z.strictObject({
  launch: duration.optional(),
  registration: duration.optional(),
  initialization: duration.optional(),
});

const simNodeClassSchema = z.strictObject({
  /** The image that the machines boot; the Node reports it. */
  image: z.string().min(1).max(256).optional(),
  /** From create to running, instead of the cloud's own time. */
  bootSeconds: z.number().min(0).max(86_400).optional(),
  /** Put on every instance, beside the tags that say whose it is. */
  tags: z.record(z.string().min(1).max(128), z.string().max(256)).optional(),
  /** Read by the lifecycle, checked here: a wrong one is refused before anything is bought. */
  deadlines: deadlinesSchema.optional(),
  userData: z.string().max(16_384).optional(),
});

type SimNodeClassSpec = z.infer<typeof simNodeClassSchema>;

const fields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(simNodeClassSchema.shape),
  deadlines: Object.keys(deadlinesSchema.shape),
};

/** Tags of this prefix say whose a machine is; nobody may set them by hand. */
const reservedTagPrefix = 'poolwright.dev/';

export function parseSimNodeClass(spec: Json): Checked<SimNodeClassSpec> {
  // A node class without a spec is one where everything is as usual.
  const parsed = simNodeClassSchema.safeParse(spec ?? {});
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap((issue) => toProblems(issue, spec)) };
  const reserved = Object.keys(parsed.data.tags ?? {}).filter((key) => key.startsWith(reservedTagPrefix));
  if (reserved.length > 0) {
    const message = `tags that start with ${reservedTagPrefix} say whose an instance is; choose another name`;
    return { ok: false, problems: reserved.map((key) => ({ path: `spec.tags[${quoteInput(key)}]`, message })) };
  }
  return { ok: true, value: parsed.data };
}

function toProblems(issue: z.core.$ZodIssue, spec: Json): { path: string; message: string }[] {
  const path = ['spec', ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = fields[issue.path.join('.')] ?? [];
    return issue.keys.map((key) => ({
      path: `${path}.${key}`,
      message: `there is no such field${didYouMean(key, known)} (known: ${known.join(', ')})`,
    }));
  }
  return [{ path, message: `${issue.message}, but it is ${quoteInput(valueAt(spec, issue.path))}` }];
}

function valueAt(spec: Json, path: readonly PropertyKey[]): unknown {
  let value: unknown = spec;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
