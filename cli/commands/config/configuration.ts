/** What is wrong with a configuration: its fields, the files that it names, and what providers say to their options. */
import { connectClusters } from '../../../functions/hosts/common/cluster-services.ts';
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { type ConfigFile, readConfigFile } from '../../../shared/config/file.ts';
import { type ClusterConfig, type Config, loadConfig } from '../../../shared/config/load.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { missingFiles } from './files.ts';
import { type Finding, pathParts } from './finding.ts';

export async function configurationFindings(file: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const loaded = loadConfig(file, env);
  const read = readConfigFile(file);
  const ofFiles = read.ok ? missingFiles(file, read.file) : [];
  const missing = ofFiles.map((one) => one.missing);
  const others = loaded.ok
    ? await providerFindings(file, read.ok ? read.file : undefined, loaded.config, env)
    : loaded.mistakes;
  return [
    ...ofFiles.map(({ missing: _, ...finding }) => finding),
    // A file that is not there would be complained about a second time.
    ...others.filter(({ message }) => !missing.some((name) => message.includes(name))),
  ].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

/** A host stops at the first; here each cluster is tried by itself, and nothing is asked of anybody. */
async function providerFindings(
  file: string,
  read: ConfigFile | undefined,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const messages = new Set<string>();
  const { database, ...opened } = openStateDatabase({ file: ':memory:' });
  const parts = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: createMetrics(),
    state: openSqliteState({ database, ...opened, clock: systemClock }),
    env,
  };
  for (const [name, cluster] of Object.entries(config.clusters)) {
    // A cluster without a way in is not asked for its providers, so once more with one.
    for (const tried of [cluster, reachable(cluster)]) {
      const connected = await connectClusters({ ...parts, config: { ...config, clusters: { [name]: tried } } });
      if (connected.ok) {
        connected.value.close();
        break;
      }
      for (const one of connected.error.message.split(/; (?=(?:clusters|providers)\.)/)) messages.add(one);
    }
  }
  database.close();
  return [...messages].map((message) => ({
    where: file,
    ...lineIn(read, message),
    message,
    ...(ofMachine.test(message) ? { machine: true } : {}),
  }));
}

/** Ways in that lie on a machine, and what a variable there would give. */
const ofMachine =
  /^clusters\.[^.]+\.(kubeconfig|inCluster|tokenFile|certificateAuthority|clientCertificate|clientKey)\b|is missing;.* or [A-Z][A-Z0-9_]+$/;

/** The same cluster by an address that nobody asks, and without any file. */
function reachable({ kubeconfig: _, context: __, tokenFile: ___, ...cluster }: ClusterConfig): ClusterConfig {
  const { certificateAuthority: ____, clientCertificate: _____, clientKey: ______, ...rest } = cluster;
  return { ...rest, inCluster: false, ...(rest.access === undefined ? { server: 'http://127.0.0.1:1' } : {}) };
}

/** Such a message begins with the field. */
function lineIn(read: ConfigFile | undefined, message: string): { line?: number } {
  const [field] = /^(clusters|providers)\.[^\s:]+/.exec(message) ?? [];
  return read === undefined || field === undefined ? {} : { line: read.lineOf(pathParts(field)) };
}
