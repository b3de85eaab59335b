/** SimNodeClass: what a user may say about machines of the simulated cloud. */
import { z } from 'zod';
import { parseDuration } from '../../base/durations.ts';
import type { Json } from '../../base/json.ts';
import { didYouMean } from '../../base/nearest.ts';
import { type Checked, quoteInput } from '../../base/problems.ts';
import { durationPattern, extended } from '../../nodes/api/parts.ts';

/** Tags of this prefix say whose a machine is; nobody may set them by hand. */
const reservedTagPrefix = 'poolwright.dev/';
const reservedTagMessage = `tags that start with ${reservedTagPrefix} identify the owner of an instance; choose another name`;

const duration = (description: string) =>
  extended(
    z.string().superRefine((text, context) => {
      const parsed = parseDuration(text);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: 'it must be a duration such as 90s or 15m' });
    }),
    { description, pattern: durationPattern },
  ).optional();

const deadlinesSchema = z.strictObject({
  launch: duration('Until the cloud has created the instance.'),
  registration: duration('From then until the node has joined the cluster.'),
  initialization: duration('From then until the node is ready for pods.'),
});

/** The provider checks a class with it, and the CRD is generated from it: what kubectl explains stands here. */
export const simNodeClassSchema = z
  .strictObject({
    image: z.string().min(1).max(256).describe('Image that the nodes run. Any name will do.').optional(),
    zones: extended(z.array(z.string().min(1).max(63)).max(20), {
      description: 'Zones that nodes may be created in. Default: all zones of the cloud.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
    instanceTypes: extended(z.array(z.string().min(1).max(63)).max(100), {
      description: 'Instance types to choose from, by name or prefix, such as general-*. Default: all.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
    bootSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .describe('Seconds from the creation of a node until its kubelet first reports.')
      .optional(),
    tags: extended(z.record(z.string().min(1).max(128), z.string().max(256)), {
      description: 'Tags of the instances, in addition to those that Poolwright sets.',
      maxProperties: 50,
      'x-kubernetes-validations': [
        { rule: `self.all(key, !key.startsWith("${reservedTagPrefix}"))`, message: reservedTagMessage },
      ],
    }).optional(),
    // Read by the lifecycle, checked here: a wrong one is refused before anything is bought.
    deadlines: deadlinesSchema
      .describe(
        "How long each stage of a node's start may take. A claim that misses a deadline fails with a condition that names the stage.",
      )
      .optional(),
    userData: z.string().max(16_384).describe('User data that the instance gets at its first boot.').optional(),
  })
  .describe('How nodes of this class are created.');

export type SimNodeClassSpec = z.infer<typeof simNodeClassSchema>;

const fields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(simNodeClassSchema.shape),
  deadlines: Object.keys(deadlinesSchema.shape),
};

export function parseSimNodeClass(spec: Json): Checked<SimNodeClassSpec> {
  // A node class without a spec is one where everything is as usual.
  const parsed = simNodeClassSchema.safeParse(spec ?? {});
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap((issue) => toProblems(issue, spec)) };
  const reserved = Object.keys(parsed.data.tags ?? {}).filter((key) => key.startsWith(reservedTagPrefix));
  if (reserved.length > 0) {
    return {
      ok: false,
      problems: reserved.map((key) => ({ path: `spec.tags[${quoteInput(key)}]`, message: reservedTagMessage })),
    };
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
