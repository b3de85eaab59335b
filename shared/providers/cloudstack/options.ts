/** The options of the cloudstack provider. Every mistake is told at once, with the field and what to do. */
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { missingOption, problemOf } from '../../base/option-problems.ts';
import { failedBy, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import * as z from '../../base/schemas.ts';
import { type AccessOptions, accessFrom, credentialsSchema } from './access/options.ts';

const text = z.optional(z.string());
const flag = (usual: boolean) => z._default(z.boolean(), usual);
const lateness = z.optional(z.number().check(z.gte(0), z.lte(3600)));
const money = z.optional(z.number().check(z.gte(0)));

const rates = z.strictObject({ perVcpu: money, perGib: money, perGpu: money });
const priceTable = z.strictObject({
  offerings: z._default(z.record(z.string(), z.number().check(z.gte(0))), {}),
  ...rates.shape,
  zones: z._default(z.record(z.string(), rates), {}),
});
export type PriceTable = z.infer<typeof priceTable>;

const optionsSchema = z.strictObject({
  apiUrl: text,
  credentials: z.prefault(credentialsSchema, {}),
  verifySSL: z.optional(z.boolean()),
  certificateAuthority: text,
  project: text,
  domain: text,
  account: text,
  clusterName: text,
  clusterEndpoint: text,
  clusterCA: text,
  kubernetesVersion: text,
  requestsPerSecond: z._default(z.number().check(z.gt(0), z.lte(10_000)), 25),
  cacheSeconds: z._default(z.number().check(z.gte(0), z.lte(86_400)), 300),
  vmMemoryOverheadPercent: z._default(z.number().check(z.gte(0), z.lt(1)), 0.05),
  customIds: flag(false),
  expunge: flag(true),
  userDataLength: z.optional(z.int().check(z.gte(1024), z.lte(1_048_576))),
  affinityGroupMembers: z.optional(z.int().check(z.gte(1), z.lte(100_000))),
  priceTable: z.optional(priceTable),
  writeSeconds: z.optional(z.number().check(z.gte(1), z.lte(300))),
  latenessSeconds: lateness,
  listLagSeconds: lateness,
});

export interface CloudStackOptions extends AccessOptions {
  /** Name or id; everything is looked for and made in it. */
  project?: string;
  /** Name, path or id of the domain, and the name of an account in it: for whom machines are made, where that is not the caller. */
  domain?: string;
  account?: string;
  clusterName: string;
  clusterEndpoint?: string;
  /** PEM, or base64 of it, as it was written. */
  clusterCA?: string;
  kubernetesVersion?: string;
  requestsPerSecond: number;
  /** How long what was looked up is used. */
  cacheSeconds: number;
  vmMemoryOverheadPercent: number;
  /** The account is an administrator's and may choose the ids of machines: then a repeated create is refused, and no second one is made. */
  customIds: boolean;
  expunge: boolean;
  /** `vm.userdata.max.length` of the management server, where somebody changed it. */
  userDataLength?: number;
  /** Most machines in one affinity group, where the administrator has set a limit. */
  affinityGroupMembers?: number;
  priceTable?: PriceTable;
  writeSeconds?: number;
  latenessSeconds?: number;
  listLagSeconds?: number;
}

/** @param cluster The name of the cluster in the configuration, where no option says what CloudStack should know it by. */
export function readCloudStackOptions(options: Json, env: Environment, cluster: string): Result<CloudStackOptions> {
  const parsed = optionsSchema.safeParse(options, { jitless: true });
  if (!parsed.success) {
    return failedBy(
      parsed.error.issues.map(({ path, message }) => ({ path: ['options', ...path].join('.'), message })),
    );
  }
  const { apiUrl, credentials, verifySSL, certificateAuthority, clusterName, ...rest } = parsed.data;
  const problems: Problem[] = [];
  const access = accessFrom({ apiUrl, credentials, verifySSL, certificateAuthority }, env);
  if (!access.ok) problems.push(...(access.error.problems ?? []));
  const { project, domain, account } = rest;
  if (account !== undefined && domain === undefined) {
    problems.push(missingOption('domain', undefined, 'an account is found by its name in a domain: '));
  }
  // CloudStack takes both or none with a deploy, so every one would be refused.
  if (domain !== undefined && account === undefined && project === undefined) {
    problems.push(missingOption('account', undefined, 'a domain alone names nobody to create instances for: '));
  }
  if (project !== undefined && account !== undefined) {
    problems.push(
      problemOf({ field: 'account' }, 'cannot be combined with project; a project owns its resources itself'),
    );
  }
  if (!access.ok || problems.length > 0) return failedBy(problems);
  return ok({
    ...access.value,
    clusterName: clusterName || env.CLUSTER_NAME || cluster,
    ...defined(rest),
  });
}
