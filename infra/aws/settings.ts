/**
 * What a deployment on AWS can say about itself: one file for each, `infra/aws/<stage>.yml`, beside the configuration of Poolwright, which is
 * a part of it. A mistake stops `osls` before anything is made, and names the field.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorText } from '../../shared/base/error-text.ts';
import { didYouMean } from '../../shared/base/nearest.ts';
import { type Consequences, consequencesOf } from './configuration.ts';
import { type FunctionName, functionNames } from './function-names.ts';
import { isReference, partsOf, referencesIn } from './references.ts';

const text = z.string().min(1);
const reference = z.string().refine(isReference, {
  error: 'must be a reference to a secret: "ssm:/path", "secretsmanager:name" or the ARN of either',
});
const arn = (service: string, form: string) =>
  z.string().regex(new RegExp(`^arn:[\\w-]+:${service}:`), { error: `must be an ARN such as ${form}` });

const settingsSchema = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, { error: 'must be the name of a region, such as "eu-west-1"' })
    .default('us-east-1'),
  /** The configuration of Poolwright. It becomes an SSM parameter of the stack. */
  config: z.record(z.string(), z.unknown()).default({}),
  /** Instead of `config`: a parameter or secret of yours that holds it. */
  configParameter: reference.optional(),
  /** Environment variables, for secrets above all: `POOLWRIGHT_HTTP_TOKEN: ssm:/poolwright/office/http-token`. */
  variables: z
    .record(
      z.string().regex(/^(POOLWRIGHT|AZURE)_[A-Z0-9_]+$/, { error: 'must begin with POOLWRIGHT_ or AZURE_' }),
      text,
    )
    .default({}),
  /** References that stand in neither of these, because `configParameter` holds them. */
  secrets: z.array(reference).default([]),
  /** Keys of yours, if secrets or parameters are encrypted with them instead of AWS's own. */
  keyArns: z.array(arn('kms', 'arn:aws:kms:eu-west-1:111122223333:key/…')).default([]),
  /** Names of clusters in EKS, beside those that `config` names. */
  eksClusters: z.array(text).default([]),
  /** False where the way of the functions into these clusters is made by hand: docs/hosts/aws.md. */
  eksAccessEntries: z.boolean().default(true),
  /** Names of the roles that node classes give to their instances. */
  nodeRoles: z.array(text).default([]),
  /** True while `poolwright adopt` is used: machines that Karpenter made may be given our tags. */
  adoption: z.boolean().default(false),
  /** Roles of other accounts in which instances are made, beside those that `config` names. */
  assumeRoleArns: z.array(arn('iam', 'arn:aws:iam::111122223333:role/poolwright')).default([]),
  /** For clusters whose API server has a private address only. */
  vpc: z.strictObject({ subnetIds: z.array(text).min(1), securityGroupIds: z.array(text).min(1) }).optional(),
  /** Where alarms go. Without it they are there, and tell nobody. */
  alarmTopicArn: arn('sns', 'arn:aws:sns:eu-west-1:111122223333:alarms').optional(),
  logRetentionDays: z.union([1, 3, 5, 7, 14, 30, 60, 90, 180, 365].map((days) => z.literal(days))).default(30),
  /** How much of the account's concurrency is kept for a function, and how much it takes at most. */
  reservedConcurrency: z
    .partialRecord(z.enum(functionNames as readonly [FunctionName, ...FunctionName[]]), z.int().min(0).max(10_000))
    .default({}),
});

/** What is kept in an SSM parameter of the standard kind at most; the next kind costs money each month. */
const standardParameter = 4096;
const advancedParameter = 8192;

const secretVariable = /_(TOKEN|TOKENS|PATH_SECRETS|CLIENT_KEY|SECRET|PASSWORD|HEADERS)$/;

export interface Settings extends z.infer<typeof settingsSchema> {
  /** Of the stack; the configuration may name the deployment otherwise. */
  stage: string;
  /** What our instances are tagged with. */
  deployment: string;
  /** The configuration as the functions read it; undefined where `configParameter` holds it. */
  configText: string | undefined;
  /** Of Standard or Advanced. */
  configTier: 'Standard' | 'Advanced';
  /** Every secret that the functions may read. */
  references: readonly string[];
  /** Clusters of EKS into which the functions go by their own roles. */
  entryClusters: readonly string[];
  timerMinutes: Consequences['timerMinutes'];
}

/** Where the stack puts the configuration. */
export const configName = (stage: string): string => `/poolwright/${stage}/config`;
export const configReference = (stage: string): string => `ssm:${configName(stage)}`;

export class SettingsError extends Error {
  constructor(message: string) {
    super(message);
    // osls shows the stack with every field that it could not make, and the mistake is lost among them.
    this.stack = message;
  }
}

const folder = import.meta.dirname;
export const defaultStage = 'main';

export function readSettings(stage: string, directory = folder): Settings {
  const file = join(directory, `${stage}.yml`);
  if (!existsSync(file)) {
    if (stage === defaultStage) return settingsFrom(stage, {}, file);
    throw new SettingsError(
      `There is no infra/aws/${basename(file)}: copy infra/aws/example.yml to that path and fill it in, or pass another --stage.`,
    );
  }
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw new SettingsError(`infra/aws/${basename(file)} is not YAML: ${errorText(error)}`);
  }
  return settingsFrom(stage, content, file);
}

/** @param content Of the file. */
export function settingsFrom(stage: string, content: unknown, file = `${stage}.yml`): Settings {
  const parsed = settingsSchema.safeParse(content);
  const problems = parsed.success
    ? problemsOf(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${textOf(issue)}`);
  if (!parsed.success || problems.length > 0) {
    throw new SettingsError(
      [`infra/aws/${basename(file)} is invalid:`, ...problems.map((line) => `  ${line}`)].join('\n'),
    );
  }
  const { config, configParameter, variables, secrets, eksClusters, assumeRoleArns, eksAccessEntries } = parsed.data;
  const known = consequencesOf(config, variables, parsed.data.region);
  const named = config.deployment;
  const deployment = typeof named === 'string' ? named : stage;
  const configText = configParameter === undefined ? JSON.stringify({ ...config, deployment }) : undefined;
  return {
    ...parsed.data,
    stage,
    deployment,
    configText,
    configTier: (configText?.length ?? 0) > standardParameter ? 'Advanced' : 'Standard',
    references: unique([...secrets, ...referencesIn(variables), ...referencesIn(config)]),
    eksClusters: unique([...eksClusters, ...known.eksClusters]),
    entryClusters: eksAccessEntries ? unique([...eksClusters, ...known.entryClusters]) : [],
    timerMinutes: known.timerMinutes,
    assumeRoleArns: unique([...assumeRoleArns, ...known.assumeRoleArns]),
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** Of a wrong key, what is wrong with it stands within. */
function textOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join(', ');
  if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) return issue.message;
  const fields = Object.keys(settingsSchema.shape);
  return issue.keys.map((key) => `there is no field "${key}"${didYouMean(key, fields)}`).join(', ');
}

function problemsOf({ config, configParameter, variables, region }: z.infer<typeof settingsSchema>): string[] {
  const plain = Object.entries(variables)
    .filter(([name, value]) => secretVariable.test(name) && !partsOf(value).every(isReference))
    .map(
      ([name]) =>
        `variables.${name}: must be a reference to a secret, not the secret itself: "ssm:/path", "secretsmanager:name" or an ARN`,
    );
  const both =
    configParameter !== undefined && Object.keys(config).length > 0
      ? ['configParameter: cannot be combined with config; set only one of them']
      : [];
  const length = Buffer.byteLength(JSON.stringify(config));
  const long =
    length > advancedParameter - 100
      ? [
          `config: has ${length} bytes as JSON, but an SSM parameter holds at most ${advancedParameter}: put it into a secret, and the secret's reference into configParameter`,
        ]
      : [];
  const secret = secretsIn(config).map(
    (path) =>
      `config.${path}: must be a reference to a secret, not the secret itself, because it would be readable in the template`,
  );
  const clusters = Object.entries(typeof config.clusters === 'object' ? { ...config.clusters } : {});
  const intake = clusters
    .filter(([, cluster]) => referencesIn((cluster as { intake?: unknown } | null)?.intake).length > 0)
    .map(([name]) => {
      const variable = `POOLWRIGHT_CLUSTERS_${name.toUpperCase().replaceAll('-', '_')}_INTAKE_…`;
      return `config.clusters.${name}.intake: references are resolved only in variables; move them to variables.${variable}`;
    });
  const callers = (config.http as { callers?: object } | null | undefined)?.callers ?? {};
  const keys = Object.entries(callers)
    .filter(([, caller]) => referencesIn(caller).length > 0)
    .map(([name]) => {
      const variable = `POOLWRIGHT_HTTP_CALLERS_${name.toUpperCase().replaceAll('-', '_')}_TOKENS`;
      return `config.http.callers.${name}.tokens: references are resolved only in variables; move them to variables.${variable}`;
    });
  const otlp = (config.metrics as { otlp?: unknown } | null | undefined)?.otlp;
  const headers =
    referencesIn(otlp).length > 0
      ? [
          'config.metrics.otlp.headers: references are resolved only in variables; move it to variables.POOLWRIGHT_METRICS_OTLP_HEADERS',
        ]
      : [];
  const wrong = [...plain, ...both, ...long, ...secret, ...intake, ...keys, ...headers];
  // What is wrong with the configuration itself is told with the value: not if that may be a secret.
  return wrong.length > 0 ? wrong : [...consequencesOf(config, variables, region).problems];
}

/** Fields of the configuration that are secrets, where they hold anything but a reference. */
function secretsIn(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) {
    const field = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
    const secret = /^(token|tokens|pathSecrets|clientKey|password|headers)$/.test(field);
    return secret && typeof value === 'string' && !isReference(value) ? [path.join('.')] : [];
  }
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, [...path, key]));
}
