import { CoreV1Api, makeInformer, type V1ConfigMap, Watch } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { type CurrentWorld, connected, freshName } from './world.ts';

const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;

export function watchCases(current: CurrentWorld): void {
  const core = () => connected(current()).makeApiClient(CoreV1Api);
  const aMap = (name: string, run: string, data: Record<string, string> = {}): V1ConfigMap => ({
    metadata: { name, labels: { run } },
    data,
  });

  it('from a version on: what was added, modified and deleted, in order', async () => {
    const run = freshName('run');
    const labelSelector = `run=${run}`;
    const { metadata } = await core().listNamespacedConfigMap({ namespace, labelSelector });
    const events: string[] = [];
    const ended: unknown[] = [];
    const watching = await new Watch(connected(current())).watch(
      path,
      { labelSelector, resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true },
      (type, object: V1ConfigMap) => {
        if (type !== 'BOOKMARK') events.push(`${type} ${object.data?.step}`);
      },
      (error) => ended.push(error),
    );
    onTestFinished(() => watching.abort());
    await core().createNamespacedConfigMap({ namespace, body: aMap(run, run, { step: '1' }) });
    await core().replaceNamespacedConfigMap({ name: run, namespace, body: aMap(run, run, { step: '2' }) });
    // Not selected any more: to this watch it is deleted.
    await core().replaceNamespacedConfigMap({ name: run, namespace, body: aMap(run, 'other', { step: '3' }) });
    await core().deleteNamespacedConfigMap({ name: run, namespace });
    await expect.poll(() => events).toEqual(['ADDED 1', 'MODIFIED 2', expect.stringMatching(/^DELETED [23]$/)]);
    expect(ended).toEqual([]);
  });

  it('until the server ends it after the time that was asked for', async () => {
    const ended = new Promise((resolve) => {
      void new Watch(connected(current())).watch(path, { timeoutSeconds: 1 }, () => undefined, resolve);
    });
    expect(await ended).toBeNull();
  });

  it('with an informer, which knows what was there before it and what came after', async () => {
    const run = freshName('run');
    const labelSelector = `run=${run}`;
    await core().createNamespacedConfigMap({ namespace, body: aMap(`${run}-a`, run) });
    const list = () => core().listNamespacedConfigMap({ namespace, labelSelector });
    const informer = makeInformer(connected(current()), path, list, labelSelector);
    const seen: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, ({ metadata }: V1ConfigMap) => seen.push(`${verb} ${metadata?.name?.at(-1)}`));
    }
    const errors: unknown[] = [];
    informer.on('error', (error: unknown) => {
      // Stopping it cuts its connection.
      if (!(error instanceof Error && error.name === 'AbortError')) errors.push(error);
    });
    await informer.start();
    onTestFinished(() => informer.stop());
    await core().createNamespacedConfigMap({ namespace, body: aMap(`${run}-b`, run) });
    await core().replaceNamespacedConfigMap({ name: `${run}-a`, namespace, body: aMap(`${run}-a`, run, { x: '1' }) });
    await core().deleteNamespacedConfigMap({ name: `${run}-b`, namespace });
    await expect.poll(() => seen).toEqual(['add a', 'add b', 'update a', 'delete b']);
    expect(informer.list(namespace).map(({ metadata, data }) => [metadata?.name, data])).toEqual([
      [`${run}-a`, { x: '1' }],
    ]);
    expect(errors).toEqual([]);
  });
}
