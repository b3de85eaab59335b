/** `poolwright simulate`: the simulated cloud, and a simulated cluster unless there is a real one, in a process of their own. */

import { defined } from '../../../shared/base/defined.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { describeProblems } from '../../../shared/base/problems.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { configuredAccess } from '../../../shared/kube/access/configured-access.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { clusterNodeApi } from '../../../sim/cloud/node-api.ts';
import { readCloudSettings, SettingsError } from '../../../sim/scenes/cloud-settings.ts';
import type { Scene } from '../../../sim/scenes/scene.ts';
import { sceneNamed } from '../../../sim/scenes/scenes.ts';
import { startCloudFor, startWorld, type World } from '../../../sim/scenes/sim.ts';
import { untilStopped } from '../../terminal/signals.ts';
import { UserError } from '../../terminal/user-error.ts';

const requestTimeoutMs = 10_000;

export interface SimulateOptions {
  dataDir: string;
  kubeconfig?: string;
  context?: string;
  cloudPort?: number;
  clusterPort?: number;
  settings?: string;
  provider?: string;
}

export async function simulate(options: SimulateOptions): Promise<number> {
  const { dataDir: directory, cloudPort, clusterPort, settings, kubeconfig, context } = options;
  const { start } = sceneNamed(options.provider);
  if (start !== undefined) return simulateStandIn(options, start);
  try {
    const common = {
      directory,
      ...defined({ cloudPort }),
      ...(settings === undefined ? {} : { cloud: readCloudSettings(settings) }),
    };
    if (kubeconfig === undefined) {
      return await run(await startWorld({ ...common, ...defined({ clusterPort }) }));
    }
    if (clusterPort !== undefined)
      throw new UserError('--kubeconfig and --cluster-port cannot be combined: pass only one of them.', {
        code: 'InvalidOption',
      });
    const cluster = await ownCluster(kubeconfig, context);
    const cloud = await startCloudFor(clusterNodeApi(cluster), {
      ...common,
      cloud: { ...common.cloud, log: tellOnce() },
    });
    return await run({ cloud, close: () => cloud.close() });
  } catch (error) {
    throw asUserError(error) ?? error;
  }
}

async function simulateStandIn(options: SimulateOptions, start: NonNullable<Scene['start']>): Promise<number> {
  const { dataDir: directory, cloudPort, clusterPort, settings, kubeconfig } = options;
  if (kubeconfig !== undefined)
    throw new UserError('--kubeconfig works with --provider sim only.', { code: 'InvalidOption' });
  try {
    const { places, close } = await start(
      {
        directory,
        ...defined({ clusterPort, cloudPort }),
      },
      settings,
    );
    console.log(JSON.stringify(places));
    await untilStopped();
    await close();
    return 0;
  } catch (error) {
    throw asUserError(error) ?? error;
  }
}

async function run(world: Pick<World, 'cloud' | 'close'> & Partial<World>): Promise<number> {
  const { cluster, cloud, kubeconfig } = world;
  // One line of JSON: whoever started this process reads where things are.
  console.log(JSON.stringify({ cluster: cluster?.url, cloud: cloud.url, kubeconfig }));
  await untilStopped();
  await world.close();
  return 0;
}

/** A cluster that takes no machine refuses every try of every one: the same reason is told once. */
function tellOnce(): (message: string, fields: Record<string, unknown>) => void {
  const told = new Set<string>();
  return (message, { reason, error }) => {
    const text = `${message}: ${reason ?? errorText(error)}`;
    if (told.has(text)) return;
    told.add(text);
    console.error(text);
  };
}

/** Any way in that a kubeconfig knows, so that machines can join whatever its owner can reach. */
async function ownCluster(kubeconfig: string, context: string | undefined): Promise<ClusterApi> {
  const found = await configuredAccess({ kubeconfig, context }, { env: process.env, clock: systemClock });
  const problem = found.ok ? found.value.problem && describeProblems([found.value.problem]) : found.error.message;
  if (!found.ok || problem !== undefined) throw new UserError(String(problem), { code: 'NoClusterAccess' });
  return connectCluster({
    name: context ?? kubeconfig,
    ...found.value.access,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs,
    fieldManager: 'sim-kubelet',
  });
}

function asUserError(error: unknown): UserError | undefined {
  if (error instanceof SettingsError) return new UserError(error.message, { code: 'InvalidOption' });
  if (error instanceof StorageError) return new UserError(error.message, { code: 'StorageUnusable' });
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return undefined;
  const port = 'port' in error ? `port ${error.port}` : 'a port';
  return new UserError(
    `${port} on 127.0.0.1 is in use. Stop the process that uses it, or pass other ports with --cluster-port and --cloud-port.`,
    { code: 'PortTaken' },
  );
}
