/** What is wrong with a configuration: its fields, the files that it names, and what providers say to their options. */

import { connectClusters } from '../../../functions/hosts/common/cluster-services.ts';
import { describeProblems, mistakesIn, type Problem } from '../../../shared/base/problems.ts';
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { type ConfigFile, readConfigFile } from '../../../shared/config/file.ts';
import { type ClusterConfig, type Config, loadConfig } from '../../../shared/config/load.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { missingFiles } from './files.ts';
import { type Finding, pathParts } from './finding.ts';

/** With the field, where it is about one. */
type Located = Finding & { path?: string };

export async function configurationFindings(file: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const loaded = loadConfig(file, env);
  const read = readConfigFile(file);
  const ofFiles = read.ok ? missingFiles(file, read.file) : [];
  const missing = new Set(ofFiles.map(({ path }) => path));
  const others: readonly Located[] = loaded.ok
    ? await providerFindings(file, read.ok ? read.file : undefined, loaded.config, env)
    : loaded.mistakes;
  // A file that is not there would be complained about a second time.
  const all = [...ofFiles, ...others.filter(({ path }) => path === undefined || !missing.has(path))];
  return all.map(({ path: _, ...finding }) => finding).sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

/** A host stops at the first; here each cluster is tried by itself, and nothing is asked of anybody. */
async function providerFindings(
  file: string,
  read: ConfigFile | undefined,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<Located[]> {
  const found = new Map<string, Problem>();
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
      for (const problem of mistakesIn(connected.error)) found.set(describeProblems([problem]), problem);
    }
  }
  database.close();
  return [...found].map(([message, { path, variable }]) => ({
    where: file,
    ...(read === undefined || path === '' ? {} : { line: read.lineOf(pathParts(path)) }),
    path,
    message,
    ...(variable !== undefined || isOfMachine(path) ? { machine: true } : {}),
  }));
}

/** Fields of a cluster that name something on a machine. */
const machineFields = [
  'kubeconfig',
  'context',
  'inCluster',
  'tokenFile',
  'certificateAuthority',
  'clientCertificate',
  'clientKey',
] as const;

function isOfMachine(path: string): boolean {
  const [root, , field] = pathParts(path);
  const fields: readonly unknown[] = machineFields;
  return root === 'clusters' && field !== 'context' && fields.includes(field);
}

/** The same cluster by an address that nobody asks, and without any file. */
function reachable(cluster: ClusterConfig): ClusterConfig {
  const rest = { ...cluster };
  for (const field of machineFields) delete rest[field];
  return { ...rest, inCluster: false, ...(rest.access === undefined ? { server: 'http://127.0.0.1:1' } : {}) };
}
