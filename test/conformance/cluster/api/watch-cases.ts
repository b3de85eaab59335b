import { expect, test } from 'vitest';
import type { Watch, WatchEvent } from './client.ts';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, claims, freshName } from './objects.ts';

const summary = (events: WatchEvent[]) => events.map(({ type, object }) => [type, object.metadata.name]);

export function watchCases(client: Client): void {
  async function now(): Promise<string> {
    return (await client().get(`${claims}?limit=1`)).body.metadata.resourceVersion;
  }

  async function watching(query: string, work: (watch: Watch) => Promise<void>, headers = {}): Promise<void> {
    const watch = await client().watch(`${claims}?watch=true&${query}`, headers);
    try {
      await work(watch);
    } finally {
      watch.stop();
    }
  }

  test('a watch from a version tells everything since, in order, then goes on', async () => {
    const group = freshName('watch');
    const selector = `labelSelector=group%3D${group}`;
    const from = await now();
    await client().post(claims, aClaim(`${group}-1`, { labels: { group } }));
    await client().merge(`${claims}/${group}-1`, { metadata: { annotations: { a: 'b' } } });
    await watching(`${selector}&resourceVersion=${from}`, async (watch) => {
      await client().delete(`${claims}/${group}-1`);
      await client().post(claims, aClaim(`${group}-2`, { labels: { group } }));
      const events = await watch.take(4);
      expect(summary(events)).toEqual([
        ['ADDED', `${group}-1`],
        ['MODIFIED', `${group}-1`],
        ['DELETED', `${group}-1`],
        ['ADDED', `${group}-2`],
      ]);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    });
  });

  test('a watch without a version begins with what is there', async () => {
    const group = freshName('watch');
    await client().post(claims, aClaim(`${group}-1`, { labels: { group } }));
    await watching(`labelSelector=group%3D${group}`, async (watch) => {
      expect(summary(await watch.take(1))).toEqual([['ADDED', `${group}-1`]]);
    });
  });

  test('to a selector, objects come when they begin to match and go when they no longer do', async () => {
    const group = freshName('watch');
    const from = await now();
    await watching(`labelSelector=group%3D${group}&resourceVersion=${from}`, async (watch) => {
      await client().post(claims, aClaim(group));
      await client().merge(`${claims}/${group}`, { metadata: { labels: { group } } });
      await client().merge(`${claims}/${group}`, { metadata: { labels: { group, more: 'x' } } });
      await client().merge(`${claims}/${group}`, { metadata: { labels: { group: null } } });
      expect((await watch.take(3)).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    });
  });

  test('the end of an object with finalizers is one DELETED event', async () => {
    const name = freshName('watch');
    await client().post(claims, aClaim(name, { finalizers: ['a.b/c'] }));
    const from = await now();
    await watching(`fieldSelector=metadata.name%3D${name}&resourceVersion=${from}`, async (watch) => {
      await client().delete(`${claims}/${name}`);
      await client().merge(`${claims}/${name}`, { metadata: { finalizers: [] } });
      const [marked, gone] = await watch.take(2);
      expect([marked?.type, marked?.object.metadata.deletionTimestamp]).toEqual(['MODIFIED', expect.any(String)]);
      expect(gone?.type).toBe('DELETED');
    });
  });

  test('a watch ends by itself after its time', async () => {
    const from = await now();
    await watching(`resourceVersion=${from}&timeoutSeconds=1&fieldSelector=metadata.name%3Dnobody`, async (watch) => {
      expect(await watch.next()).toBeUndefined();
    });
  });

  test('a watch as a Table sends the columns once', async () => {
    const group = freshName('watch');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const from = await now();
    const query = `labelSelector=group%3D${group}&resourceVersion=${from}`;
    await watching(
      query,
      async (watch) => {
        await client().post(claims, aClaim(`${group}-1`, { labels: { group } }));
        await client().post(claims, aClaim(`${group}-2`, { labels: { group } }));
        const [first, second] = await watch.take(2);
        expect(first?.object.columnDefinitions.length).toBeGreaterThan(0);
        expect(second?.object.columnDefinitions ?? []).toEqual([]);
        expect(second?.object.rows[0].cells[0]).toBe(`${group}-2`);
      },
      { accept },
    );
  });

  test('initial events end with a bookmark that says so', async () => {
    const group = freshName('watch');
    await client().post(claims, aClaim(group, { labels: { group } }));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    await watching(`${query}&labelSelector=group%3D${group}`, async (watch) => {
      const [first, mark] = await watch.take(2);
      expect([first?.type, mark?.type]).toEqual(['ADDED', 'BOOKMARK']);
      expect(mark?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    });
  });
}
