/**
 * From what was read to what is used: the file, the environment and the command line in one, checked whole, filled and frozen. Knows no
 * form of a file, so that who has none loads no reader.
 */

import type * as z from 'zod/mini';
import type { Environment } from '../base/environment.ts';
import { isObject, type Json } from '../base/json.ts';
import type { ProviderManifest } from '../providers/manifest.ts';
import { manifests } from '../providers/manifests.ts';
import { crossProblems } from './cross-checks.ts';
import { fromEnv } from './environment.ts';
import type { ConfigFile } from './file.ts';
import { type Problem, pathText, problemsOf, valueAt } from './problems.ts';
import { rememberConfig, rememberEnvironment } from './remember-secrets.ts';
import { configSchema } from './schema.ts';

type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** As one may write it, in a file or in code. */
export type ConfigInput = z.input<typeof configSchema>;
type Parsed = z.output<typeof configSchema>;
type WithProviders<T> = Omit<T, 'providers'> & { readonly providers: readonly string[] };

/** Everything filled in; durations in seconds; every cluster names its providers. */
export type Config = Omit<DeepReadonly<Parsed>, 'clusters'> & {
  readonly clusters: Readonly<Record<string, ClusterConfig>>;
};
export type ClusterConfig = WithProviders<DeepReadonly<Parsed['clusters'][string]>>;
export type ProviderConfig = DeepReadonly<Parsed['providers'][string]>;

/** One mistake: where it has to be mended, and the whole sentence. */
export interface ConfigMistake {
  /** The file, the variable or `command line`; empty where the message says it. */
  readonly where: string;
  readonly line?: number;
  /** The field, where it is about one. */
  readonly path?: string;
  readonly message: string;
}

/** `text` is ready to print: one problem a line, all of them. */
export type ConfigResult =
  | { ok: true; config: Config }
  | { ok: false; text: string; mistakes: readonly ConfigMistake[] };

/** What a configuration was read from: its contents, or why there are none. */
export interface ReadConfig {
  name?: string;
  file?: ConfigFile | undefined;
  problems?: readonly ConfigMistake[];
}

/** File, then environment, then overrides (the command line): the later one wins, field by field. */
export function resolveRead(
  { name, file: read, problems = [] }: ReadConfig,
  env: Environment,
  overrides: ConfigInput = {},
): ConfigResult {
  rememberEnvironment(env);
  const before: ConfigMistake[] = [...problems];
  const environment = fromEnv(env);
  for (const { variable, hint } of environment.unknown) {
    before.push({ where: variable, message: `is not a known variable${hint}` });
  }

  let merged: unknown = withoutNothing(read?.value) ?? {};
  for (const { path, value } of environment.settings) merged = merge(merged, nest(path, value));
  merged = merge(merged, withoutNothing(overrides) ?? {});
  const implied = impliedByEnvironment(env);
  before.push(...implied.problems.map((message) => ({ where: '', message })));
  if (isObject(merged) && merged.providers === undefined && Object.keys(implied.providers).length > 0) {
    merged = merge(merged, { providers: implied.providers });
  }

  /** Where a field was given: that is where it has to be mended. */
  const origin: Origin = ({ path, aboutKey }) => {
    const inFile = read !== undefined && has(read.value, path);
    // A map that both give in part is rather to be mended in the file.
    if (has(overrides, path) && !(inFile && isObject(valueAt(overrides, path)))) return { where: 'command line' };
    const variable = environment.settings.find((setting) => isPrefix(setting.path, path))?.variable;
    if (variable !== undefined) return { where: variable };
    if (read === undefined || name === undefined) return { where: 'configuration' };
    return { where: name, line: read.lineOf(path, aboutKey) };
  };
  return check(merged, before, origin);
}

/** The same for a configuration that was made in code. */
export function resolveConfig(input: ConfigInput): ConfigResult {
  return check(withoutNothing(input) ?? {}, [], () => ({ where: 'configuration' }));
}

/** The providers that the environment implies where none is configured. */
function impliedByEnvironment(env: Environment): { providers: Record<string, Json>; problems: string[] } {
  const providers: Record<string, Json> = {};
  const problems = new Set<string>();
  for (const manifest of manifests as readonly ProviderManifest[]) {
    const { implied, problem } = manifest.environment?.(env) ?? {};
    if (implied) providers[manifest.type] = { type: manifest.type, ...implied };
    if (problem !== undefined) problems.add(problem);
  }
  return { providers, problems: [...problems] };
}

type Origin = (problem: Problem) => Omit<ConfigMistake, 'message'>;

function check(input: unknown, before: readonly ConfigMistake[], origin: Origin): ConfigResult {
  rememberConfig(input);
  // What is read once is not worth the making of a parser of its own, which is what the library would do.
  const parsed = configSchema.safeParse(input, { jitless: true });
  const issues = parsed.error?.issues ?? [];
  const found = problemsOf(input, [...issues, ...issuesBehindNames(input, issues)], crossProblems(input));
  if (parsed.success && before.length === 0 && found.length === 0) {
    return { ok: true, config: deepFreeze(fill(parsed.data)) };
  }
  const mistakes = [
    ...before,
    ...found.map((problem) => ({
      ...origin(problem),
      path: pathText(problem.path),
      message: `${pathText(problem.path)} ${problem.text}`.trimStart(),
    })),
  ];
  const head =
    mistakes.length === 1 ? 'The configuration has a mistake:' : `The configuration has ${mistakes.length} mistakes:`;
  return { ok: false, text: [head, ...mistakes.map((one) => `  ${mistakeText(one)}`)].join('\n'), mistakes };
}

/**
 * The schema does not look behind a name that is wrong. So what stands there is checked once more under a name that is right, and told
 * under its own: all mistakes are reported at once.
 */
function issuesBehindNames(input: unknown, issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap(({ code, path }) => {
    const [section, name, ...rest] = path;
    if (code !== 'invalid_key' || section === undefined || name === undefined || rest.length > 0) return [];
    const alone = { [section]: { [anyName]: valueAt(input, path) } };
    const again = configSchema.safeParse(alone, { jitless: true }).error?.issues ?? [];
    return again.flatMap((issue) =>
      issue.path[0] === section && issue.path[1] === anyName
        ? [{ ...issue, path: [section, name, ...issue.path.slice(2)] }]
        : [],
    );
  });
}

const anyName = 'a';

/** `poolwright.yaml:12: clusters.east.server must be …`. */
export const mistakeText = ({ where, line, message }: ConfigMistake): string =>
  `${where}${line === undefined ? '' : `:${line}`}${where === '' ? '' : ': '}${message}`;

function fill(parsed: Parsed): Config {
  const all = Object.keys(parsed.providers);
  const clusters = Object.entries(parsed.clusters).map(([name, cluster]) => [
    name,
    { ...cluster, providers: cluster.providers ?? all },
  ]);
  return { ...parsed, clusters: Object.fromEntries(clusters) as Record<string, ClusterConfig> };
}

/** A key with nothing behind it, as YAML allows, counts as not written; so does an undefined from code. */
function withoutNothing(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const left = withoutNothing(inner);
    if (left !== undefined) kept.push([key, left]);
  }
  return Object.fromEntries(kept);
}

function merge(under: unknown, over: unknown): unknown {
  // Something that should be a map and is none must stay, or the mistake would vanish beneath what comes over it.
  if (isObject(over) && !isObject(under)) return under;
  if (!isObject(under) || !isObject(over)) return over;
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over))
    merged.set(key, merged.has(key) ? merge(merged.get(key), value) : value);
  return Object.fromEntries(merged);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function has(value: unknown, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && valueAt(value, path) !== undefined;
}

function isPrefix(prefix: readonly string[], path: readonly PropertyKey[]): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
