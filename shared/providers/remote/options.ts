/** The options of the remote provider. Every mistake is told at once, with the field and what to do. */
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { failedBy, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import * as z from '../../base/schemas.ts';
import type { ConnectionOptions } from '../../drivers/grpc/connect.ts';
import { connectionFrom, serverSchema } from './servers/options.ts';

const text = z.optional(z.string());
const lateness = z.optional(z.number().check(z.gte(0), z.lte(3600)));

const optionsSchema = z.strictObject({
  servers: z.record(z.string(), serverSchema),
  clusterName: text,
  clusterEndpoint: text,
  clusterCA: text,
  kubernetesVersion: text,
  capabilitySeconds: z._default(z.number().check(z.gte(0), z.lte(86_400)), 300),
  vmMemoryOverheadPercent: z._default(z.number().check(z.gte(0), z.lt(1)), 0.05),
  createsByName: z._default(z.boolean(), false),
  writeSeconds: z.optional(z.number().check(z.gte(1), z.lte(300))),
  latenessSeconds: lateness,
  listLagSeconds: lateness,
});

export interface RemoteOptions {
  servers: ReadonlyMap<string, ConnectionOptions>;
  clusterName: string;
  clusterEndpoint?: string;
  clusterCA?: string;
  kubernetesVersion?: string;
  /** How long the capabilities of a server are used before it is asked again. */
  capabilitySeconds: number;
  vmMemoryOverheadPercent: number;
  /** All servers are ones that find a machine by its name instead of making a second one: then a repeated create is harmless. */
  createsByName: boolean;
  writeSeconds?: number;
  latenessSeconds?: number;
  listLagSeconds?: number;
}

const serverName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function readRemoteOptions(options: Json, env: Environment, cluster: string): Result<RemoteOptions> {
  const parsed = optionsSchema.safeParse(options, { jitless: true });
  if (!parsed.success) {
    return failedBy(
      parsed.error.issues.map(({ path, message }) => ({ path: ['options', ...path].join('.'), message })),
    );
  }
  const { servers: given, clusterName, ...rest } = parsed.data;
  const problems: Problem[] = [];
  const servers = new Map<string, ConnectionOptions>();
  for (const [name, settings] of Object.entries(given)) {
    if (!serverName.test(name)) {
      const message = 'a name has at most 63 lower-case letters, digits and inner hyphens';
      problems.push({ path: `options.servers.${name}`, message });
    }
    const read = connectionFrom(name, settings, env);
    problems.push(...read.problems);
    servers.set(name, read.connection);
  }
  if (servers.size === 0) {
    problems.push({ path: 'options.servers', message: 'is empty; name a server, and its endpoint' });
  }
  // A variable that is wrong is wrong for each server.
  const once = new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem]));
  if (once.size > 0) return failedBy([...once.values()]);
  return ok({ servers, clusterName: clusterName || env.CLUSTER_NAME || cluster, ...defined(rest) });
}
