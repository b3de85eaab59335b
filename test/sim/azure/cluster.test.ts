/** Machines of both kinds in one cluster that is served over HTTP. */
import { expect, onTestFinished, test } from 'vitest';
import { startClusterApi } from '../../../sim/cluster/server.ts';
import { gpuPool, rawClient, standIn } from './stand-in.ts';

interface Node {
  metadata: { name: string; labels: Record<string, string> };
  spec: { providerID: string };
  status: { conditions: { type: string; status: string }[] };
}

test('pools of AKS and of Arc have their Nodes in one cluster, and those of a pool that goes leave it', async () => {
  const cluster = await startClusterApi({ file: ':memory:', port: 0 });
  onTestFinished(() => cluster.close());
  const { azure, aks, advance } = await standIn({
    kubelet: { clusterUrl: cluster.url },
    settings: { createSeconds: 10, deleteSeconds: 5, readySeconds: 2 },
  });
  const nodes = async (): Promise<Node[]> =>
    ((await (await fetch(`${cluster.url}/api/v1/nodes`)).json()) as { items: Node[] }).items;
  const arc = azure.clusters.find(({ kind }) => kind === 'arc')?.id;
  const path = `${arc}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default/agentPools/edge`;
  const body = { properties: { vmSize: 'Standard_NK6', count: 1 } };
  expect((await rawClient(azure)('PUT', `${path}?api-version=2024-01-01`, { body })).status).toBe(201);
  await aks.agentPools
    .createOrUpdate('poolwright', 'aks-demo', 'one', { ...gpuPool, availabilityZones: ['2'] })
    .submitted();
  expect(await nodes()).toEqual([]);

  await advance(10);
  await advance(2);
  const made = await nodes();
  expect(made.map(({ spec }) => spec.providerID.split(':')[0]).sort()).toEqual(['azure', 'moc']);
  expect(made.map(({ status }) => status.conditions.find(({ type }) => type === 'Ready')?.status)).toEqual([
    'True',
    'True',
  ]);
  const zones = made.map(({ metadata }) => metadata.labels['topology.kubernetes.io/zone']);
  expect(zones.sort()).toEqual(['eastus-2', undefined]);

  await aks.agentPools.delete('poolwright', 'aks-demo', 'one').submitted();
  await advance(5);
  await advance(0.5);
  expect((await nodes()).map(({ metadata }) => metadata.labels['msft.microsoft/nodepool-name'])).toEqual([
    expect.stringMatching(/^arc-demo-one-[0-9a-f]+-edge$/),
  ]);
});

test('a pool that follows another of its name gets its Node when that of the first is gone', async () => {
  const cluster = await startClusterApi({ file: ':memory:', port: 0 });
  onTestFinished(() => cluster.close());
  const { aks, advance } = await standIn({
    kubelet: { clusterUrl: cluster.url },
    settings: { createSeconds: 1, deleteSeconds: 1, cloudControllerSeconds: 60 },
  });
  const uids = async (): Promise<string[]> => {
    const { items } = (await (await fetch(`${cluster.url}/api/v1/nodes`)).json()) as {
      items: { metadata: { uid: string } }[];
    };
    return items.map(({ metadata }) => metadata.uid);
  };
  const put = () =>
    aks.agentPools.createOrUpdate('poolwright', 'aks-demo', 'one', { vmSize: 'Standard_D2s_v5' }).submitted();
  await put();
  await advance(1);
  const first = await uids();
  expect(first).toHaveLength(1);
  await aks.agentPools.delete('poolwright', 'aks-demo', 'one').submitted();
  await advance(1);
  await put();
  await advance(1);
  expect(await uids()).toEqual(first);
  await advance(60);
  const second = await uids();
  expect(second).toHaveLength(1);
  expect(second).not.toEqual(first);
});
