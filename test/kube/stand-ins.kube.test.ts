import { expect, it, onTestFinished } from 'vitest';
import { runControllers, startPod } from './stand-ins.ts';
import { freshName, useKube } from './use-kube.ts';

it('a budget lets one pod after the other go, as long as enough are left', async () => {
  const kube = useKube();
  const namespace = freshName('drain');
  await kube.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace },
      spec: { maxUnavailable: '50%', selector: { matchLabels: { app: 'web' } } },
    },
  );
  const pods = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const spec = { terminationGracePeriodSeconds: 1 };
      return { name, ...(await startPod(kube, { name, namespace, node: 'nowhere', labels: { app: 'web' }, spec })) };
    }),
  );
  // While its kubelet is away no pod ends.
  const withoutKubelet = runControllers(kube, { namespace, deadNodes: ['nowhere'] });
  const api = kube.connect();
  onTestFinished(() => api.close());
  const [first, second] = pods;
  const evict = (pod: typeof first) => api.evict({ name: pod?.name ?? '', namespace }, pod?.uid ?? '');

  await expect.poll(() => evict(first)).toMatchObject({ ok: true });
  expect(await evict(second)).toMatchObject({ error: { kind: 'throttled', refusedBy: 'budget' } });
  await withoutKubelet.stop();
  const controllers = runControllers(kube, { namespace });
  onTestFinished(() => controllers.stop());
  // Once the first is gone, half of one pod, rounded up, may go.
  await expect.poll(() => evict(second)).toMatchObject({ ok: true });
});
