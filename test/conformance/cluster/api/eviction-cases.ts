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

  async function runningPod(app: string, ready = true): Promise<{ name: string; uid: string }> {
    const name = freshName('pod');
    const { body } = await client().post(pods, aPod(name, 'node-a', { app }));
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    await client().merge(`${pods}/${name}/status`, { status: { phase: 'Running', conditions } });
    return { name, uid: body.metadata.uid };
  }

  async function budget(app: string, disruptionsAllowed: number, spec = {}, more = {}): Promise<string> {
    const name = freshName('budget');
    const selector = { matchLabels: { app } };
    await client().post(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable: 1, selector, ...spec },
    });
    const status = { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await client().merge(`${budgets}/${name}/status`, { status: { ...status, ...more } });
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

  test('a budget that nobody has looked at yet answers with 429 and a pause', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app);
    const budgetName = await budget(app, 1, {}, { observedGeneration: 0 });
    const { code, body, headers } = await client().post(`${pods}/${name}/eviction`, eviction(name));
    expect([code, headers.get('retry-after'), body.details.retryAfterSeconds]).toEqual([429, '10', 10]);
    expect(body.details.causes[0].message).toBe(
      `The disruption budget ${budgetName} is still being processed by the server.`,
    );
  });

  test('a budget whose controller failed says so', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app);
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const broken = {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message: 'no scale',
      lastTransitionTime,
    };
    const budgetName = await budget(app, 0, {}, { conditions: [broken] });
    const { code, body } = await client().post(`${pods}/${name}/eviction`, eviction(name));
    expect(code).toBe(429);
    expect(body.details.causes[0].message).toBe(
      `The disruption budget ${budgetName} does not allow evicting pods currently because it failed sync: no scale`,
    );
  });

  test('two budgets over one pod are an error of the server', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app);
    await budget(app, 1);
    await budget(app, 1);
    const { code, body } = await client().post(`${pods}/${name}/eviction`, eviction(name));
    expect(code).toBe(500);
    expect(body.message).toBe(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  });

  test('a pod that is not ready goes while the others suffice, and spends nothing', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app, false);
    const budgetName = await budget(app, 0);
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name))).code).toBe(201);
    expect((await client().get(`${budgets}/${budgetName}`)).body.status.disruptionsAllowed).toBe(0);
  });

  test('a pod that is not ready stays while the others do not suffice, unless the budget lets it go', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app, false);
    const budgetName = await budget(app, 0, {}, { currentHealthy: 0 });
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name))).code).toBe(429);
    await client().merge(`${budgets}/${budgetName}`, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name))).code).toBe(201);
  });

  test('a pod that has not begun is evicted whatever the budget says', async () => {
    const app = freshName('app');
    const name = freshName('pod');
    await client().post(pods, aPod(name, 'node-a', { app }));
    await budget(app, 0);
    expect((await client().post(`${pods}/${name}/eviction`, eviction(name))).code).toBe(201);
  });

  test('an eviction that is a dry run keeps pod and budget', async () => {
    const app = freshName('app');
    const { name } = await runningPod(app);
    const budgetName = await budget(app, 1);
    const answer = await client().post(`${pods}/${name}/eviction`, eviction(name, { dryRun: ['All'] }));
    expect(answer.code).toBe(201);
    expect((await client().get(`${pods}/${name}`)).code).toBe(200);
    expect((await client().get(`${budgets}/${budgetName}`)).body.status.disruptionsAllowed).toBe(1);
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
