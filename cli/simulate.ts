/** `poolwright simulate`: the simulated cloud and cluster in a process of their own. */
import { startWorld } from '../sim/start.ts';
import { untilStopped } from './signals.ts';

export interface SimulateOptions {
  dataDir: string;
  cloudPort?: string;
  clusterPort?: string;
  settings?: string;
}

export async function simulate(options: SimulateOptions): Promise<void> {
  const world = await startWorld({
    directory: options.dataDir,
    ...(options.cloudPort === undefined ? {} : { cloudPort: Number(options.cloudPort) }),
    ...(options.clusterPort === undefined ? {} : { clusterPort: Number(options.clusterPort) }),
    ...(options.settings === undefined ? {} : { cloud: JSON.parse(options.settings) }),
  });
  // One line of JSON: whoever started this process reads where things are.
  console.log(JSON.stringify({ cluster: world.cluster.url, cloud: world.cloud.url, kubeconfig: world.kubeconfig }));
  await untilStopped();
  await world.close();
}
