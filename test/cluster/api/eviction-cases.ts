import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aPod, budgets, freshName, pods } from './objects.ts';

export function evictionCases(client: Client): void {
  const eviction = (name: string, deleteOptions?: object) => ({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: 'default' },
    ...(deleteOptions ? { deleteOptions } : {}),
  });

  async function runningPod(app: string): Promise<{ name: string; uid: string }> {
    const name = freshName('pod');
    const { body } = await client().post(pods, aPod(name, 'node-a', { app }));
    await client().merge(`${pods}/${name}/status`, { status: { phase: 'Running' } });
    return { name, uid: body.metadata.uid };
  }

  async function budget(app: string, disruptionsAllowed: number): Promise<string> {
    const name = freshName('budget');
    const selector = { matchLabels: { app } };
    await client().post(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable: 1, selector },
    });
    const status = { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await client().merge(`${budgets}/${name}/status`, { status });
    return name;
  }

  test('a pod without a budget is evicted', async () => {
    const { name } = await runningPod(freshName('app'));
    const { code, body } = await client().post(`${pods}/${name}/eviction`, eviction(name));
    expect([code, body.status]).toEqual([201, 'Success']);
    expect((await client().get(`${pods}/${name}`)).code).toBe(404);
  });

  test('a budget that allows nothing answers with 429 and keeps the pod', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app);
    const budgetName = await budget(app, 0);
    const { code, body } = await client().post(`${pods}/${name}/eviction`, eviction(name));
    expect([code, body.reason]).toEqual([429, 'TooManyRequests']);
    expect(body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(body.details.causes[0]).toMatchObject({
      reason: 'DisruptionBudget',
      message: `The disruption budget ${budgetName} needs 1 healthy pods and has 1 currently`,
    });
    expect((await client().get(`${pods}/${name}`)).code).toBe(200);
  });

  test('each eviction spends the budget', async () => {
    const app = freshName('app');
    const [first, second] = [await runningPod(app), await runningPod(app)];
    const budgetName = await budget(app, 1);
    expect((await client().post(`${pods}/${first.name}/eviction`, eviction(first.name))).code).toBe(201);
    expect((await client().get(`${budgets}/${budgetName}`)).body.status.disruptionsAllowed).toBe(0);
    expect((await client().post(`${pods}/${second.name}/eviction`, eviction(second.name))).code).toBe(429);
  });

  test('an eviction on the condition of another uid is a Conflict', async () => {
    const { name, uid } = await runningPod(freshName('app'));
    const other = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name, other))).code).toBe(409);
    const right = { preconditions: { uid } };
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name, right))).code).toBe(201);
  });

  test('the eviction of a pod that is gone is NotFound', async () => {
    expect((await client().post(`${pods}/nobody/eviction`, eviction('nobody'))).code).toBe(404);
  });
}
