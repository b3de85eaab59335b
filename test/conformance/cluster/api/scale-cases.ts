import { expect, test } from 'vitest';
import { defined } from '../../../../shared/base/defined.ts';
import type { Client } from './cluster-api-suite.ts';
import { freshName, nodePools } from './objects.ts';

export function scaleCases(client: Client): void {
  async function aPool(replicas?: number): Promise<string> {
    const name = freshName('pool');
    const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
    const { code } = await client().post(nodePools, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: { ...defined({ replicas }), template: { spec: { nodeClassRef, requirements: [] } } },
    });
    expect(code).toBe(201);
    return `${nodePools}/${name}`;
  }

  test('the scale of a pool shows how many are wanted and how many there are', async () => {
    const path = await aPool(2);
    await client().merge(`${path}/status`, { status: { nodes: 1 } });
    const { code, body } = await client().get(`${path}/scale`);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { resourceVersion: expect.any(String), uid: expect.any(String) },
      spec: { replicas: 2 },
      status: { replicas: 1 },
    });
  });

  test('a write to the scale changes the pool and nothing else of it', async () => {
    const path = await aPool(2);
    const before = (await client().get(path)).body;
    expect((await client().merge(`${path}/scale`, { spec: { replicas: 5 } })).body.spec).toEqual({ replicas: 5 });
    const { body: scale } = await client().get(`${path}/scale`);
    expect((await client().put(`${path}/scale`, { ...scale, spec: { replicas: 3 } })).code).toBe(200);
    const after = (await client().get(path)).body;
    expect(after.spec).toEqual({ ...before.spec, replicas: 3 });
    expect(after.metadata.generation).toBe(3);
    expect((await client().put(`${path}/scale`, { ...scale, spec: { replicas: 4 } })).code).toBe(409);
  });

  test('fewer than none are Invalid', async () => {
    const path = await aPool(2);
    expect((await client().merge(`${path}/scale`, { spec: { replicas: -1 } })).code).toBe(422);
  });

  test('a claim has no scale', async () => {
    expect((await client().get('/apis/karpenter.sh/v1/nodeclaims/any/scale')).code).toBe(404);
  });

  test('discovery names the scale', async () => {
    const { body } = await client().get('/apis/karpenter.sh/v1');
    const scale = body.resources.find((one: { name: string }) => one.name === 'nodepools/scale');
    expect(scale).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });
}
