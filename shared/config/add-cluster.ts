/** A configuration with one cluster more, which came up at run time; checked and filled in like those of the file. */
import { failed, ok, type Result } from '../base/result.ts';
import { pathText, problemsOf } from './problems.ts';
import type { ClusterConfig, Config, ConfigInput } from './resolve.ts';
import { configSchema } from './schema.ts';

export type ClusterInput = NonNullable<ConfigInput['clusters']>[string];

/** @param input As one would write it below `clusters.<name>`. Without providers it has all of the configuration. */
export function addCluster(config: Config, name: string, input: ClusterInput): Result<Config> {
  const whole = { clusters: { [name]: input } };
  const parsed = configSchema.safeParse(whole, { jitless: true });
  const cluster = parsed.data?.clusters[name];
  if (cluster === undefined) {
    const problems = problemsOf(whole, parsed.error?.issues ?? [], []);
    const text = problems.map(({ path, text: said }) => `${pathText(path)} ${said}`).join('; ');
    return failed('invalid', text || `${name} cannot be the name of a cluster`);
  }
  const added: ClusterConfig = { ...cluster, providers: cluster.providers ?? Object.keys(config.providers) };
  return ok({ ...config, clusters: { ...config.clusters, [name]: added } });
}
