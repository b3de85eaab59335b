/**
 * The simulated cloud as a process of its own: one argument, its options as JSON; one line on stdout when it listens,
 * `{"url":…,"port":…}`. It ends on SIGTERM or SIGINT, and stands kill -9 at any time.
 *
 * @example node sim/cloud/main.ts '{"file":"cloud.db","bootSeconds":0.5,"kubelet":{"clusterUrl":"http://127.0.0.1:8001"}}'
 */
import { z } from 'zod';
import { describeIssues } from '../kit/describe-issues.ts';
import { faultRulesSchema } from '../kit/faults.ts';
import { type SimCloudOptions, startSimCloud } from './start.ts';

const seconds = z.number().min(0).max(1_000_000);

/** Everything that can be said in JSON: clocks and hooks can't. */
const argumentSchema = z.strictObject({
  file: z.string().min(1).exactOptional(),
  port: z.number().int().min(0).max(65_535).exactOptional(),
  seed: z.number().int().exactOptional(),
  faults: faultRulesSchema.exactOptional(),
  latencyMs: z.number().min(0).exactOptional(),
  kubelet: z
    .strictObject({ clusterUrl: z.url(), token: z.string().exactOptional(), ca: z.string().exactOptional() })
    .exactOptional(),
  kubeletConcurrency: z.number().int().min(1).exactOptional(),
  idempotency: z.enum(['token', 'name', 'none']).exactOptional(),
  bootSeconds: seconds.exactOptional(),
  deleteSeconds: seconds.exactOptional(),
  registerSeconds: seconds.nullable().exactOptional(),
  readySeconds: seconds.nullable().exactOptional(),
  taintUntilReady: z.boolean().exactOptional(),
  gpuSeconds: seconds.exactOptional(),
  startupTaintSeconds: seconds.nullable().exactOptional(),
  nodeLostSeconds: seconds.nullable().exactOptional(),
  cloudControllerSeconds: seconds.nullable().exactOptional(),
  rejoinDeletedNodes: z.boolean().exactOptional(),
  listLagSeconds: seconds.exactOptional(),
  quota: z.number().int().min(0).nullable().exactOptional(),
});

function optionsFrom(argument: string | undefined): SimCloudOptions | { wrong: string } {
  let given: unknown;
  try {
    given = JSON.parse(argument ?? '{}');
  } catch {
    return { wrong: 'the argument is not JSON' };
  }
  const parsed = argumentSchema.safeParse(given);
  return parsed.success ? parsed.data : { wrong: describeIssues(parsed.error) };
}

const options = optionsFrom(process.argv[2]);
if ('wrong' in options) {
  process.stderr.write(`sim/cloud: ${options.wrong}\n`);
  process.exit(2);
}
const cloud = await startSimCloud({
  ...options,
  log: (message, fields) => process.stderr.write(`${JSON.stringify({ message, ...readable(fields) })}\n`),
  onFatal: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
});
process.stdout.write(`${JSON.stringify({ url: cloud.url, port: cloud.port })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void cloud.close().then(() => process.exit(0)));
}

/** An Error has no fields of its own that JSON would show. */
function readable(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]),
  );
}
