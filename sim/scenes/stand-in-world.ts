/** A simulated cluster together with a stand-in for somebody's cloud, whose machines join it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterApi, startClusterApi } from '../cluster/server.ts';

export interface StandInWorld<Cloud> {
  readonly cluster: ClusterApi;
  readonly cloud: Cloud;
  close(): Promise<void>;
}

/** The cluster is kept in the directory; the stand-in forgets everything when it ends. */
export async function startStandInWorld<Cloud extends { close(): Promise<void> }>(
  { directory, clusterPort = 0 }: { directory: string; clusterPort?: number | undefined },
  startCloud: (cluster: ClusterApi) => Promise<Cloud>,
): Promise<StandInWorld<Cloud>> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const cluster = await startClusterApi({ file: join(directory, 'cluster.db'), port: clusterPort });
  try {
    const cloud = await startCloud(cluster);
    const close = async (): Promise<void> => {
      await cloud.close();
      await cluster.close();
    };
    return { cluster, cloud, close };
  } catch (error) {
    // Half a world would keep the process alive that has just said why it can't start.
    await cluster.close();
    throw error;
  }
}
