/** The bridge: it goes on from its bookmark, and stores none before the queue has accepted what lies behind it. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Bookmark,
  type BookmarkStore,
  configMapBookmarks,
  parseBookmark,
} from '../../functions/sources/bookmarks.ts';
import { startBridge } from '../../functions/sources/bridge.ts';
import { namespaces } from '../../shared/kube/contract.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { SendError, type Sender } from '../../shared/queue/contract.ts';
import { useWorld } from './use-world.ts';
import type { TestWorld } from './world.ts';

const open = useWorld();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Sent = { type: string; data: { name: string; deleting?: boolean } };

/** What happens here is waited for, never timed. */
function start(world: TestWorld, bookmarks?: BookmarkStore) {
  const sent: Sent[] = [];
  const looks = new Set<() => void>();
  const changed = (): void => {
    for (const look of looks) look();
  };
  let away = false;
  let tries = 0;
  const to: Sender = {
    name: 'test',
    send: async (bodies) => {
      tries++;
      changed();
      if (away) throw new SendError('away');
      for (const body of bodies) sent.push(JSON.parse(body));
      changed();
    },
  };
  const stop = new AbortController();
  const log = collectingLog();
  const { clock, ids, random } = world.services;
  // Pauses are over at once, in a later turn of the event loop.
  const timers = {
    after: (_milliseconds: number, run: () => void) => {
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
  const bridge = startBridge({
    cluster: 'test',
    api: world.api,
    to,
    bookmarks,
    clock,
    ids,
    random,
    log,
    signal: stop.signal,
    timers,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await bridge.ended;
  };
  stops.push(end);
  const until = (enough: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!enough()) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  return {
    bridge,
    sent,
    log,
    end,
    until,
    changed,
    names: () => sent.map(({ data }) => data.name),
    tries: () => tries,
    setAway: (is: boolean) => {
      away = is;
    },
  };
}

function memory(initial?: Bookmark) {
  const written: Bookmark[] = [];
  const store: BookmarkStore = {
    read: async () => written.at(-1) ?? initial,
    write: async (bookmark) => void written.push(structuredClone(bookmark)),
  };
  return { store, written };
}

const identityOf = async (world: TestWorld): Promise<string> => {
  const found = await world.api.get(namespaces, { name: 'kube-system' });
  return found.ok ? found.value.metadata.uid : '';
};

describe('the bridge', () => {
  it('says that it was the one who noticed, as it always did: hosts of every version know that word', async () => {
    const world = await open();
    await world.createClaim('one');
    const { sent, until, names } = start(world);
    await until(() => names().includes('one'));
    expect(sent).toMatchObject([{ source: '/bridge/test', data: { name: 'one', observedBy: 'bridge' } }]);
  });

  it('tells of what is new since its bookmark, and of nothing else', async () => {
    const world = await open();
    const { store, written } = memory();
    await world.createClaim('before');
    const first = start(world, store);
    await first.until(() => first.names().includes('before'));
    await first.end();
    expect(written.at(-1)).toMatchObject({
      identity: await identityOf(world),
      versions: { 'nodeclaims.karpenter.sh': expect.stringMatching(/^\d+$/) },
    });

    await world.createClaim('after');
    const second = start(world, store);
    await second.until(() => second.names().includes('after'));
    expect(second.names()).toEqual(['after']);
    expect(second.log.lines.map(({ event }) => event)).toContain('bridge.resumed');
  });

  it('stores no bookmark behind what the queue has not accepted', async () => {
    const world = await open();
    const { store, written } = memory();
    await world.createClaim('stuck');
    const first = start(world, store);
    first.setAway(true);
    await first.until(() => first.tries() >= 3);
    expect(first.bridge.status).toMatchObject({ trouble: 'away', pending: 1 });
    await first.end();
    expect(written.filter(({ versions }) => 'nodeclaims.karpenter.sh' in versions)).toEqual([]);

    const second = start(world, store);
    await second.until(() => second.names().includes('stuck'));
  });

  it('loses nothing and doubles nothing while the queue is away', async () => {
    const world = await open();
    const bridge = start(world);
    await world.createClaim('one');
    await bridge.until(() => bridge.names().includes('one'));
    bridge.setAway(true);
    const tries = bridge.tries();
    await world.createClaim('two');
    await bridge.until(() => bridge.tries() > tries + 2);
    bridge.setAway(false);
    await bridge.until(() => bridge.names().includes('two'));
    expect(bridge.names()).toEqual(['one', 'two']);
  });

  it.each([
    [
      'of another cluster',
      (_identity: string): Bookmark => ({ identity: 'x', versions: { 'nodeclaims.karpenter.sh': '999999' } }),
    ],
    [
      'that the server has forgotten',
      (identity: string): Bookmark => ({ identity, versions: { 'nodeclaims.karpenter.sh': '1' } }),
    ],
  ])('tells of everything when its bookmark is one %s', async (_name, bookmark) => {
    const world = await open();
    await world.createClaim('here');
    // The simulated server has its own idea of what is too old; a real one says the same in the same words.
    const { watch } = world.api;
    let expired = 0;
    Object.assign(world.api, {
      watch: (resource: unknown, options: { resourceVersion: string }, ...rest: unknown[]) =>
        options.resourceVersion === '1' && expired++ < 3
          ? Promise.resolve({ end: 'expired' })
          : Reflect.apply(watch, world.api, [resource, options, ...rest]),
    });
    const bridge = start(world, memory(bookmark(await identityOf(world))).store);
    await bridge.until(() => bridge.names().includes('here'));
  });

  it('goes on without its bookmark when that cannot be read or written', async () => {
    const world = await open();
    await world.createClaim('here');
    const broken: BookmarkStore = {
      read: () => Promise.reject(new Error('read-only')),
      write: () => Promise.reject(new Error('read-only')),
    };
    const bridge = start(world, broken);
    await bridge.until(() => bridge.names().includes('here'));
    await bridge.end();
    expect(bridge.log.lines.map(({ event }) => event)).toContain('bridge.bookmark.failed');
  });
});

describe('a bookmark', () => {
  it('can stand in a ConfigMap of the cluster', async () => {
    const world = await open();
    const store = configMapBookmarks(world.api, { namespace: 'kube-system', name: 'bridge' });
    expect(await store.read()).toBeUndefined();
    await store.write({ identity: 'a', versions: { nodes: '1' } });
    await store.write({ identity: 'a', versions: { nodes: '2' } });
    expect(await store.read()).toEqual({ identity: 'a', versions: { nodes: '2' } });
  });

  it.each(['', 'x', 'null', '1', '{}', '{"identity":1,"versions":{}}', '{"identity":"a","versions":null}'])(
    'that is none (%s) counts as none',
    (text) => {
      expect(parseBookmark(text)).toBeUndefined();
    },
  );

  it('keeps only versions that can be used', () => {
    expect(parseBookmark('{"identity":"a","versions":{"nodes":"7","x":1,"y":""}}')?.versions).toEqual({ nodes: '7' });
  });
});
