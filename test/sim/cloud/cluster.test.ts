import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { Node } from '../../../shared/nodes/claims/spec/types.ts';
import { type ClusterApi, startClusterApi } from '../../../sim/cluster/server.ts';
import { type CloudUnderTest, startCloud } from './client.ts';

describe('machines of the simulated cloud in the simulated cluster', () => {
  let cluster: ClusterApi;
  let under: CloudUnderTest;
  beforeEach(async () => {
    const clock = manualClock();
    cluster = await startClusterApi({ file: ':memory:', port: 0, clock });
    under = await startCloud({
      clock,
      bootSeconds: 30,
      readySeconds: 10,
      nodeLostSeconds: 40,
      cloudControllerSeconds: 60,
      kubelet: { clusterUrl: cluster.url },
    });
  });
  afterEach(async () => {
    await under.cloud.close();
    await cluster.close();
  });
  const nodeOf = async (id: string): Promise<Node | undefined> => {
    const answer = await fetch(`${cluster.url}/api/v1/nodes/${id}`);
    return answer.status === 200 ? ((await answer.json()) as Node) : undefined;
  };
  const readyOf = (node: Node | undefined) => node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

  test('join, get Ready, fall silent and are removed', async () => {
    const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }];
    const { id } = (await under.create({ taints })).body;
    expect(await nodeOf(id)).toBeUndefined();

    await under.advance(30);
    const joined = await nodeOf(id);
    expect(joined?.spec).toMatchObject({ providerID: `sim:///zone-a/${id}` });
    expect(joined?.spec?.taints).toHaveLength(2);
    expect(readyOf(joined)).toBe('False');

    await under.advance(10);
    const ready = await nodeOf(id);
    expect(readyOf(ready)).toBe('True');
    expect(ready?.spec?.taints).toMatchObject(taints);

    await under.ask('DELETE', `/instances/${id}`);
    await under.advance(40);
    expect(readyOf(await nodeOf(id))).toBe('Unknown');
    await under.advance(20);
    expect(await nodeOf(id)).toBeUndefined();
  });
});
