/** A provider server with the mock together with a simulated cluster that its machines join. */
import { z } from 'zod';
import { type MockWorldSettings, startMockWorld } from '../remote/start.ts';
import { machineShape, readSettings } from './cloud-settings.ts';
import type { SceneDirectory, StartedScene } from './scene.ts';
import { startStandInWorld } from './stand-in-world.ts';

const shape = {
  ...machineShape,
  taintUntilReady: z.boolean(),
  taskTime: z.number().min(0).max(1000),
  serve: z.boolean(),
  lookMs: z.number().min(1).max(60_000),
};
const schema = z.strictObject(shape).partial();

export async function startRemoteWorld(where: SceneDirectory, given: string | undefined): Promise<StartedScene> {
  const settings =
    given === undefined
      ? {}
      : readSettings<Partial<MockWorldSettings>>(given, schema, Object.keys(shape), '{"taskTime": 2}');
  const { cluster, cloud, close } = await startStandInWorld(where, ({ url }) =>
    startMockWorld({
      directory: where.directory,
      port: where.cloudPort ?? 0,
      kubelet: { clusterUrl: url },
      settings,
    }),
  );
  const { endpoint = '', file } = cloud;
  const server = { endpoint, plaintext: true, type: 'mock', rate: { qps: 1000, burst: 1000 } };
  const options = { servers: { mock: server }, createsByName: true };
  const standIn = { options: { remote: options }, env: {} };
  return { places: { cluster: cluster.url, cloud: cloud.url, file, standIn }, close };
}
