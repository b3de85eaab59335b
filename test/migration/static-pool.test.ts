/** Static NodePools of agent pools: their node class need not exist, and the template says which provider. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodePools } from '../../shared/kube/contract.ts';
import { reconcilePool } from '../../shared/nodes/pools/reconcile-pool.ts';
import { useWorld } from '../nodes/use-world.ts';
import { openAzureWorld, recordOf } from './azure-world.ts';

const open = useWorld();

const pool = (name: string, annotations: { [key: string]: Json }, nodeClassRef: Json) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    replicas: 1,
    template: {
      metadata: { annotations },
      spec: { nodeClassRef, requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
    },
  },
});

it('a pool of KaitoNodeClass is kept at its replicas by the provider that its template names', async () => {
  const world = await openAzureWorld(open);
  const kaito = { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' };
  const aks = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  const { signal } = new AbortController();
  const pools = {
    local: pool('local', { 'poolwright.dev/provider': 'arc' }, kaito),
    wrong: pool('wrong', { 'poolwright.dev/provider': 'nobody' }, kaito),
    theirs: pool('theirs', {}, aks),
  };
  for (const one of Object.values(pools)) expect((await world.api.create(nodePools, one)).ok).toBe(true);
  for (const name of Object.keys(pools))
    expect((await reconcilePool(world.services, world.clusterServices, name, signal)).ok).toBe(true);

  const claims = await world.claims();
  expect(claims.map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'])).toEqual(['local']);
  await world.pass(20);
  expect(recordOf((await world.claims())[0]).provider).toBe('arc');

  type Status = { status?: { conditions?: { type: string; status: string; message: string }[] } };
  const statusOf = async (name: string) => {
    const read = await world.api.get(nodePools, { name });
    return read.ok ? (read.value as Status).status?.conditions : undefined;
  };
  const wrong = (await statusOf('wrong'))?.find(({ type }) => type === 'NodeClassReady');
  expect(wrong).toMatchObject({ status: 'Unknown', message: expect.stringContaining('there is no provider "nobody"') });
  expect(await statusOf('theirs')).toBeUndefined();
});
