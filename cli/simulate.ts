/** `poolwright simulate`: the simulated cloud and cluster in a process of their own. */
import { StorageError } from '../shared/sqlite.ts';
import { startWorld, type World } from '../sim/start.ts';
import { readCloudSettings } from './cloud-settings.ts';
import { untilStopped } from './signals.ts';
import { UserError } from './user-error.ts';

export interface SimulateOptions {
  dataDir: string;
  cloudPort?: number;
  clusterPort?: number;
  settings?: string;
}

export async function simulate(options: SimulateOptions): Promise<number> {
  const { cloudPort, clusterPort, settings } = options;
  const cloud = settings === undefined ? undefined : readCloudSettings(settings);
  let world: World;
  try {
    world = await startWorld({
      directory: options.dataDir,
      ...(cloudPort === undefined ? {} : { cloudPort }),
      ...(clusterPort === undefined ? {} : { clusterPort }),
      ...(cloud === undefined ? {} : { cloud }),
    });
  } catch (error) {
    throw asUserError(error) ?? error;
  }
  // One line of JSON: whoever started this process reads where things are.
  console.log(JSON.stringify({ cluster: world.cluster.url, cloud: world.cloud.url, kubeconfig: world.kubeconfig }));
  await untilStopped();
  await world.close();
  return 0;
}

function asUserError(error: unknown): UserError | undefined {
  if (error instanceof StorageError) return new UserError(error.message);
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') return undefined;
  const port = 'port' in error ? `port ${error.port}` : 'a port';
  return new UserError(
    `${port} on 127.0.0.1 is taken. Stop what uses it, or choose others with --cluster-port, --cloud-port.`,
  );
}
