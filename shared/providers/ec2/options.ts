/** The options of the ec2 provider. Every mistake is told at once, with the field and what to do. */

import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { missingOption, problemOf } from '../../base/option-problems.ts';
import type { Rate } from '../../base/pace/request-bucket.ts';
import { failedBy, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import * as z from '../../base/schemas.ts';
import { isRegionName } from '../../platforms/aws/region.ts';
import { pacedActions, unknownActions } from './calls/request-rates.ts';

const text = z.optional(z.string());
const lateness = z.optional(z.number().check(z.gte(0), z.lte(3600)));

const optionsSchema = z.strictObject({
  region: text,
  endpoint: text,
  roleArn: text,
  externalId: z.optional(z.string().check(z.regex(/^[\s\S]{2,1224}$/, 'must have 2 to 1224 characters'))),
  clusterName: text,
  clusterEndpoint: text,
  clusterCA: text,
  kubernetesVersion: text,
  serviceCidr: text,
  /** Read by the watcher of interruptions; here it only has to be allowed. */
  interruptionQueue: z.optional(z.string().check(z.minLength(1))),
  serveEc2NodeClasses: z._default(z.boolean(), false),
  vmMemoryOverheadPercent: z._default(z.number().check(z.gte(0), z.lt(1)), 0.075),
  reservedENIs: z._default(z.int().check(z.gte(0), z.lte(100)), 0),
  requestRates: z._default(
    z.record(z.string(), z.strictObject({ burst: z.int().check(z.gte(1)), perSecond: z.number().check(z.positive()) })),
    {},
  ),
  prices: z._default(z.boolean(), true),
  writeSeconds: z.optional(z.number().check(z.gte(1), z.lte(300))),
  latenessSeconds: lateness,
  listLagSeconds: lateness,
});

export interface Ec2Options {
  region: string;
  endpoint?: string;
  roleArn?: string;
  externalId?: string;
  clusterName: string;
  clusterEndpoint?: string;
  /** PEM in base64, as EKS gives it. */
  clusterCA?: string;
  kubernetesVersion?: string;
  serviceCidr?: string;
  serveEc2NodeClasses: boolean;
  vmMemoryOverheadPercent: number;
  reservedENIs: number;
  requestRates: Readonly<Record<string, Rate>>;
  prices: boolean;
  writeSeconds?: number;
  latenessSeconds?: number;
  listLagSeconds?: number;
}

interface Place {
  field:
    | 'region'
    | 'endpoint'
    | 'roleArn'
    | 'clusterName'
    | 'clusterEndpoint'
    | 'clusterCA'
    | 'kubernetesVersion'
    | 'serviceCidr';
  variables: readonly string[];
  isRight(value: string): boolean;
  rule: string;
  required?: true;
}

const isUrl = (value: string): boolean => URL.canParse(value) && /^https?:\/\//.test(value);

/** Each place: its field, the variables that may say it, what it has to look like. */
const places: readonly Place[] = [
  {
    field: 'region',
    variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    isRight: isRegionName,
    rule: 'must be the name of a region, such as eu-west-1 (eu-west-1a is a zone)',
    required: true,
  },
  {
    field: 'clusterName',
    variables: ['EKS_CLUSTER_NAME', 'CLUSTER_NAME'],
    isRight: (value) => /^[0-9A-Za-z][-_0-9A-Za-z]{0,99}$/.test(value),
    rule: 'must be the name of an EKS cluster: 1 to 100 letters, digits, dashes and underscores',
    required: true,
  },
  { field: 'endpoint', variables: [], isRight: isUrl, rule: 'must be an http:// or https:// URL' },
  {
    field: 'roleArn',
    variables: [],
    isRight: (value) => /^arn:aws[\w-]*:iam::\d{12}:role\/.+$/.test(value),
    rule: 'must be the ARN of a role: arn:aws:iam::<account>:role/<name>',
  },
  {
    field: 'clusterEndpoint',
    variables: ['CLUSTER_ENDPOINT'],
    isRight: isUrl,
    rule: 'must be the https:// URL of the API server',
  },
  {
    field: 'clusterCA',
    variables: ['CLUSTER_CA'],
    isRight: (value) => pemIn(value) !== undefined,
    rule: 'must be the PEM of a certificate, or base64 of it',
  },
  {
    field: 'kubernetesVersion',
    variables: [],
    isRight: (value) => /^1\.\d{1,3}$/.test(value),
    rule: 'must be a version such as 1.34',
  },
  {
    field: 'serviceCidr',
    variables: [],
    isRight: (value) => /^[0-9a-fA-F.:]+\/\d{1,3}$/.test(value),
    rule: 'must be a range of addresses such as 10.100.0.0/16',
  },
];

export function readEc2Options(options: Json, env: Environment): Result<Ec2Options> {
  const parsed = optionsSchema.safeParse(options, { jitless: true });
  if (!parsed.success) {
    return failedBy(
      parsed.error.issues.map(({ path, message }) => ({ path: ['options', ...path].join('.'), message })),
    );
  }
  const problems: Problem[] = [];
  const found: Partial<Record<Place['field'], string>> = {};
  for (const { field, variables, isRight, rule, required } of places) {
    const given = parsed.data[field] || undefined;
    const variable = variables.find((name) => env[name]);
    const value = given ?? (variable === undefined ? undefined : env[variable]);
    const origin = given === undefined ? { variable: variable ?? '' } : { field };
    if (value !== undefined && isRight(value)) found[field] = value;
    else if (value !== undefined) {
      const found = field === 'clusterCA' ? 'something else' : JSON.stringify(value);
      problems.push(problemOf(origin, `${rule}; found ${found}`));
    } else if (required) problems.push(missingOption(field, variables[0]));
  }
  if (parsed.data.externalId !== undefined && parsed.data.roleArn === undefined) {
    problems.push(problemOf({ field: 'externalId' }, 'needs a role; set roleArn as well'));
  }
  for (const action of unknownActions(parsed.data.requestRates)) {
    problems.push(
      problemOf(
        { field: `requestRates.${action}` },
        `is not an EC2 action that Poolwright calls; it calls ${pacedActions.join(', ')}`,
      ),
    );
  }
  if (problems.length > 0) return failedBy(problems);
  const { externalId, writeSeconds, latenessSeconds, listLagSeconds } = parsed.data;
  const { serveEc2NodeClasses, vmMemoryOverheadPercent, reservedENIs, requestRates, prices } = parsed.data;
  const { region = '', clusterName = '', clusterCA, ...rest } = found;
  const pem = clusterCA === undefined ? undefined : pemIn(clusterCA);
  return ok({
    region,
    clusterName,
    ...rest,
    ...(pem === undefined ? {} : { clusterCA: Buffer.from(pem).toString('base64') }),
    ...defined({ externalId }),
    serveEc2NodeClasses,
    vmMemoryOverheadPercent,
    reservedENIs,
    requestRates,
    prices,
    ...defined({ writeSeconds, latenessSeconds, listLagSeconds }),
  });
}

/** The PEM itself, whether it was written as such or as base64. */
function pemIn(value: string): string | undefined {
  const text = value.includes('-----BEGIN ') ? value : Buffer.from(value, 'base64').toString('utf8');
  return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
}
