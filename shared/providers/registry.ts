/**
 * Which providers serve which cluster. Built from the configuration: a wrong one is refused at once and by name, while a
 * provider's own code, and the SDK behind it, is loaded when somebody first needs it.
 *
 * @example
 * const registry = createProviderRegistry({ clusters: { dev: [{ provider: 'sim', options: { url } }] }, contextOf });
 * if (registry.ok) {
 *   const dev = await registry.value.forCluster('dev');
 *   if (dev.ok) for (const { provider } of dev.value.serving(claim)) …
 * }
 */

import { errorText } from '../base/error-text.ts';
import type { Json } from '../base/json.ts';
import { didYouMean } from '../base/nearest.ts';
import { describeProblems, failedBy, mistakesIn, type Problem, quoteInput } from '../base/problems.ts';
import { failed, ok, type Result } from '../base/result.ts';
import type { ProviderContext } from './context.ts';
import type { Provider, ServedClaim } from './contract.ts';
import type { ProviderManifest, ProviderModule } from './manifest.ts';
import { manifests } from './manifests.ts';
import { type Serving, servingOf, type TypedProvider } from './serving.ts';

/** One provider of one cluster, as the configuration has it. */
export interface ProviderConfig {
  provider: string;
  options: Json;
  /** Under which the configuration has it, below `providers`; mistakes in the options are told by it. */
  name?: string;
}

export interface ClusterProviders {
  readonly providers: readonly Provider[];
  /** Who could serve this claim. None: its node class is not one that we manage here, and it is left untouched. */
  serving(claim: ServedClaim): readonly Serving[];
}

export interface RegistryOptions {
  /** By the name of the cluster. */
  clusters: Readonly<Record<string, readonly ProviderConfig[]>>;
  /** What the providers of a cluster are given to work with. */
  contextOf(cluster: string): ProviderContext;
  /** Put around every provider: meters, for example. */
  decorate?: (provider: Provider, cluster: string) => Provider;
  /** Instead of those that are built in. */
  manifests?: readonly Pick<ProviderManifest, 'type' | 'load'>[];
}

export interface ProviderRegistry {
  /** All providers of a cluster; one object per provider and cluster, however often it is asked for. */
  forCluster(cluster: string): Promise<Result<ClusterProviders>>;
  get(cluster: string, provider: string): Promise<Result<Provider>>;
  close(): void;
}

export function createProviderRegistry(options: RegistryOptions): Result<ProviderRegistry> {
  const known = new Map((options.manifests ?? manifests).map((manifest) => [manifest.type, manifest]));
  for (const [cluster, configs] of Object.entries(options.clusters)) {
    const problem = problemWith(cluster, configs, [...known.keys()]);
    if (problem !== undefined) return failedBy([problem]);
  }
  return ok(new Registry(options, known));
}

function problemWith(
  cluster: string,
  configs: readonly ProviderConfig[],
  known: readonly string[],
): Problem | undefined {
  const seen = new Map<string, string | undefined>();
  for (const [index, { provider, name }] of configs.entries()) {
    const where = `clusters.${cluster}.providers[${index}].provider`;
    if (!known.includes(provider)) {
      const hint = `${didYouMean(provider, known)} (known: ${known.join(', ')})`;
      return { path: where, message: `there is no provider ${quoteInput(provider)}${hint}` };
    }
    const other = seen.get(provider);
    if (other !== undefined && name !== undefined) {
      const message = `${other} and ${name} are both of type ${provider}, but a cluster can have only one provider of each type; list the providers that serve it, such as providers: [${other}]`;
      return { path: `clusters.${cluster}.providers`, message };
    }
    if (seen.has(provider))
      return { path: where, message: `provider ${provider} is listed twice; list it once per cluster` };
    seen.set(provider, name);
  }
  return undefined;
}

/** Where a mistake in the options stands: a provider has its name in the configuration, or is one of a cluster's list. */
function inConfiguration(problem: Problem, { name }: ProviderConfig, where: string): Problem {
  if (name === undefined) return { ...problem, path: problem.path === '' ? where : `${where}.${problem.path}` };
  const [first, ...field] = problem.path.split('.');
  return { ...problem, path: ['providers', name, ...(first === 'options' ? field : [])].join('.') };
}

type Loadable = Pick<ProviderManifest, 'load'>;

class Registry implements ProviderRegistry {
  readonly #options: RegistryOptions;
  readonly #known: ReadonlyMap<string, Loadable>;
  readonly #built = new Map<string, Promise<Result<Provider>>>();
  readonly #closers: (() => void)[] = [];

  constructor(options: RegistryOptions, known: ReadonlyMap<string, Loadable>) {
    this.#options = options;
    this.#known = known;
  }

  async forCluster(cluster: string): Promise<Result<ClusterProviders>> {
    const configs = this.#configsOf(cluster);
    if (!configs.ok) return configs;
    const typed: TypedProvider[] = [];
    for (const config of configs.value) {
      const built = await this.get(cluster, config.provider);
      if (!built.ok) return built;
      typed.push({ provider: built.value, type: config.provider });
    }
    return ok({ providers: typed.map(({ provider }) => provider), serving: (claim) => servingOf(typed, claim) });
  }

  async get(cluster: string, provider: string): Promise<Result<Provider>> {
    const configs = this.#configsOf(cluster);
    if (!configs.ok) return configs;
    const index = configs.value.findIndex((config) => config.provider === provider);
    const config = configs.value[index];
    if (config === undefined) {
      const known = configs.value.map((one) => one.provider);
      const hint = didYouMean(provider, known);
      return failed('not-found', `cluster ${cluster} has no provider ${quoteInput(provider)}${hint}`);
    }
    const key = `${cluster}/${provider}`;
    let built = this.#built.get(key);
    if (built === undefined) {
      built = this.#build(cluster, config, `clusters.${cluster}.providers[${index}]`);
      this.#built.set(key, built);
      // A package that could not be loaded may be there the next time.
      void built.then((result) => result.ok || this.#built.delete(key));
    }
    return built;
  }

  close(): void {
    for (const close of this.#closers.splice(0)) close();
    this.#built.clear();
  }

  async #build(cluster: string, config: ProviderConfig, where: string): Promise<Result<Provider>> {
    let module: ProviderModule;
    try {
      // The names were checked when the registry was made.
      module = await this.#known.get(config.provider)!.load();
    } catch (error) {
      const cause = errorText(error);
      return failed('unavailable', `${where}: the code of provider ${config.provider} could not be loaded`, { cause });
    }
    const created = await module.createProvider(config.options, this.#options.contextOf(cluster));
    if (!created.ok) {
      const { kind, message: _, ...more } = created.error;
      const problems = mistakesIn(created.error).map((problem) => inConfiguration(problem, config, where));
      return failed(kind, describeProblems(problems), { ...more, problems });
    }
    const provider = created.value;
    if (provider.close !== undefined) this.#closers.push(() => provider.close?.());
    return ok(this.#options.decorate?.(provider, cluster) ?? provider);
  }

  #configsOf(cluster: string): Result<readonly ProviderConfig[]> {
    const { clusters } = this.#options;
    const configs = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
    if (configs !== undefined) return ok(configs);
    return failed(
      'not-found',
      `there is no cluster ${quoteInput(cluster)}${didYouMean(cluster, Object.keys(clusters))}`,
    );
  }
}
