import { describe, expect, it } from 'vitest';
import { defined } from '../base/defined.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { manualClock } from '../base/runtime.ts';
import { collectingLog } from '../observe/log/log.ts';
import type { ClusterApi, KubeObject, ListOptions, Page, WatchEnd, WatchEvent } from './contract.ts';
import { nodeClaims } from './contract.ts';
import { type Change, type Reflection, reflect } from './reflector.ts';

type Listing = Result<Page<KubeObject>>;
interface Watching {
  events?: WatchEvent<KubeObject>[];
  end: WatchEnd;
  /** How long it lasted. */
  milliseconds?: number;
}

function object(name: string, version: string, uid = `uid-${name}`): KubeObject {
  return { metadata: { name, uid, resourceVersion: version, creationTimestamp: '2026-01-01T00:00:00Z' } };
}

const page = (resourceVersion: string, items: KubeObject[], next?: string): Listing =>
  ok({ items, resourceVersion, ...defined({ continue: next }) });

/** Plays a script of lists and watches; when the watches are used up, it ends the reflector. */
async function play(script: { lists?: Listing[]; watches: Watching[] }, more: Partial<Reflection<KubeObject>> = {}) {
  const stop = new AbortController();
  const clock = manualClock();
  const log = collectingLog();
  const lists = [...(script.lists ?? [])];
  const watches = [...script.watches];
  const story: string[] = [];
  const pauses: number[] = [];
  const asked: ListOptions[] = [];
  const api: Pick<ClusterApi, 'name' | 'list' | 'watch'> = {
    name: 'test',
    list: async <T extends KubeObject>(_resource: unknown, options: ListOptions = {}) => {
      asked.push(options);
      story.push(options.continue === undefined ? 'list' : `list from ${options.continue}`);
      const next = lists.shift();
      if (next === undefined) {
        stop.abort();
        return failed('unavailable', 'end of script');
      }
      return next as Result<Page<T>>;
    },
    watch: async <T extends KubeObject>(
      _resource: unknown,
      options: { resourceVersion: string },
      onEvent: (event: WatchEvent<T>) => void | Promise<void>,
    ) => {
      story.push(`watch from ${options.resourceVersion}`);
      const next = watches.shift();
      if (next === undefined) {
        stop.abort();
        return { end: 'closed' };
      }
      for (const event of next.events ?? []) await onEvent(event as WatchEvent<T>);
      clock.advance(next.milliseconds ?? 10_000);
      return next.end;
    },
  };
  await reflect<KubeObject>({
    api: api as ClusterApi,
    resource: nodeClaims,
    onEvent: (change) => void story.push(tell(change)),
    onSynced: () => void story.push('synced'),
    onBookmark: (version) => void story.push(`bookmark ${version}`),
    clock,
    random: () => 1,
    log,
    signal: stop.signal,
    pause: async (milliseconds) => void pauses.push(milliseconds),
    ...more,
  });
  return { story, pauses, log, asked };
}

function tell(change: Change<KubeObject>): string {
  return change.type === 'deleted'
    ? `deleted ${change.name} ${change.uid}${change.object === undefined ? ' (noticed later)' : ''}`
    : `${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion}`;
}

const closed: WatchEnd = { end: 'closed' };

describe('a reflector', () => {
  it('lists in pages, then watches from there, and goes on from the last event after a break', async () => {
    const { story } = await play({
      lists: [page('10', [object('a', '1')], 'p2'), page('10', [object('b', '2')])],
      watches: [
        {
          events: [
            { type: 'modified', object: object('a', '11') },
            { type: 'deleted', object: object('b', '12') },
          ],
          end: closed,
        },
        { events: [{ type: 'bookmark', resourceVersion: '20' }], end: closed },
      ],
    });
    expect(story).toEqual([
      'list',
      'added a@1',
      'list from p2',
      'added b@2',
      'bookmark 10',
      'synced',
      'watch from 10',
      'modified a@11',
      'deleted b uid-b',
      'watch from 12',
      'bookmark 20',
      'watch from 20',
    ]);
  });

  it('resumes where an earlier life stopped, without a list', async () => {
    const { story } = await play(
      { watches: [{ events: [{ type: 'added', object: object('a', '51') }], end: closed }] },
      { resumeFrom: '50' },
    );
    expect(story).toEqual(['synced', 'watch from 50', 'added a@51', 'watch from 51']);
  });

  it('lists again after a gap and says only what has changed, deletions and namesakes included', async () => {
    const { story } = await play({
      lists: [
        page('10', [object('same', '1'), object('changed', '2'), object('gone', '3'), object('namesake', '4')]),
        page('30', [
          object('same', '1'),
          object('changed', '21'),
          object('namesake', '22', 'uid-2'),
          object('fresh', '23'),
        ]),
      ],
      watches: [{ end: { end: 'expired' } }],
    });
    expect(story.slice(story.indexOf('watch from 10') + 1)).toEqual([
      'list',
      'modified changed@21',
      'deleted namesake uid-namesake (noticed later)',
      'added namesake@22',
      'added fresh@23',
      'deleted gone uid-gone (noticed later)',
      'bookmark 30',
      'watch from 30',
    ]);
  });

  it('starts a list again when its snapshot expires between two pages', async () => {
    const { story } = await play({
      lists: [
        page('10', [object('a', '1')], 'p2'),
        failed('conflict', 'too old'),
        page('12', [object('a', '1'), object('b', '2')]),
      ],
      watches: [],
    });
    expect(story).toEqual([
      'list',
      'added a@1',
      'list from p2',
      'list',
      'added b@2',
      'bookmark 12',
      'synced',
      'watch from 12',
    ]);
  });

  it('deletes nothing because of a list that failed half-way', async () => {
    const { story } = await play({
      lists: [
        page('10', [object('a', '1'), object('b', '2')]),
        page('20', [object('a', '1')], 'p2'),
        failed('unavailable', 'no'),
      ],
      watches: [{ end: { end: 'expired' } }],
    });
    expect(story.some((line) => line.startsWith('deleted'))).toBe(false);
  });

  it('waits longer after each failure, no longer than it may, as long as the server asks, and short again after a success', async () => {
    const broken: Watching = { end: { end: 'failed', message: 'broken' } };
    const { pauses, log } = await play(
      {
        lists: [failed('unavailable', 'down'), page('1', [])],
        watches: [
          broken,
          broken,
          broken,
          { end: { end: 'failed', message: 'busy', retryAfterSeconds: 60 } },
          { events: [{ type: 'bookmark', resourceVersion: '2' }], end: closed },
          broken,
        ],
      },
      { firstPauseMs: 1000, longestPauseMs: 5000 },
    );
    expect(pauses).toEqual([1000, 2000, 4000, 5000, 60_000, 1000]);
    expect(log.lines.map((line) => line.event)).toContain('cluster.list.failed');
  });

  it('lists again when the server refuses a place again and again, as one does whose etcd was restored', async () => {
    const refused: Watching = { end: { end: 'failed', message: 'Too large resource version: 900, current: 40' } };
    const { story } = await play({
      lists: [page('900', [object('a', '899')]), page('40', [object('b', '39')])],
      watches: [refused, refused, refused, refused, refused],
    });
    expect(story).toEqual([
      'list',
      'added a@899',
      'bookmark 900',
      'synced',
      ...Array.from({ length: 5 }, () => 'watch from 900'),
      'list',
      'added b@39',
      'deleted a uid-a (noticed later)',
      'bookmark 40',
      'watch from 40',
    ]);
  });

  it('does not hurry when the server ends every watch at once', async () => {
    const { pauses } = await play(
      {
        lists: [page('1', [])],
        watches: [
          { end: closed, milliseconds: 1 },
          { end: closed, milliseconds: 1 },
        ],
      },
      { firstPauseMs: 1000 },
    );
    expect(pauses).toEqual([1000, 2000]);
  });

  it('spreads its pauses by chance', async () => {
    const { pauses } = await play(
      { lists: [failed('unavailable', 'down'), page('1', [])], watches: [] },
      { firstPauseMs: 1000, random: () => 0 },
    );
    expect(pauses).toEqual([500]);
  });

  it('reports a handler that throws, goes on, hands the object over again, and saves no place behind it', async () => {
    const story: string[] = [];
    let broken = true;
    const { log } = await play(
      {
        lists: [page('10', [object('a', '1'), object('b', '2')]), page('20', [object('a', '11'), object('b', '2')])],
        watches: [
          {
            events: [
              { type: 'modified', object: object('a', '11') },
              { type: 'modified', object: object('b', '12') },
              { type: 'deleted', object: object('b', '13') },
              { type: 'bookmark', resourceVersion: '15' },
            ],
            end: closed,
          },
        ],
      },
      {
        onEvent: (change) => {
          story.push(tell(change));
          if (broken && tell(change) === 'modified a@11') {
            broken = false;
            throw new Error('bug');
          }
        },
        onBookmark: (version) => void story.push(`bookmark ${version}`),
      },
    );
    expect(story).toEqual([
      'added a@1',
      'added b@2',
      'bookmark 10',
      'modified a@11',
      'modified b@12',
      'deleted b uid-b',
      'added a@11',
      'added b@2',
      'bookmark 20',
    ]);
    expect(log.lines.find((line) => line.event === 'cluster.handler.failed')?.fields).toMatchObject({ name: 'a' });
  });

  it('hands a deletion over again when its handler threw', async () => {
    const story: string[] = [];
    await play(
      {
        lists: [page('10', [object('a', '1')]), page('20', [])],
        watches: [{ events: [{ type: 'deleted', object: object('a', '11') }], end: closed }],
      },
      {
        onEvent: (change) => {
          story.push(tell(change));
          if (story.length === 2) throw new Error('bug');
        },
      },
    );
    expect(story).toEqual(['added a@1', 'deleted a uid-a', 'deleted a uid-a (noticed later)']);
  });

  it('hands over several objects at once, but one object in order, and saves a place only when all is handed over', async () => {
    let running = 0;
    let most = 0;
    const ended: string[] = [];
    const bookmarks: string[] = [];
    await play(
      {
        lists: [
          page(
            '10',
            Array.from({ length: 10 }, (_, index) => object(`o${index}`, '1')),
          ),
        ],
        watches: [
          {
            events: [
              { type: 'modified', object: object('o0', '11') },
              { type: 'modified', object: object('o0', '12') },
              { type: 'deleted', object: object('o0', '13') },
              { type: 'modified', object: object('o1', '14') },
              { type: 'bookmark', resourceVersion: '15' },
            ],
            end: closed,
          },
        ],
      },
      {
        concurrency: 4,
        onEvent: async (change) => {
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
          ended.push(tell(change));
        },
        onBookmark: (version) => void bookmarks.push(`${version} after ${ended.length}, running ${running}`),
      },
    );
    expect(most).toBe(4);
    expect(ended.filter((line) => line.includes('o0'))).toEqual([
      'added o0@1',
      'modified o0@11',
      'modified o0@12',
      'deleted o0 uid-o0',
    ]);
    expect(bookmarks).toEqual(['10 after 10, running 0', '15 after 14, running 0']);
  });

  it('survives an API that throws', async () => {
    const stop = new AbortController();
    const log = collectingLog();
    let calls = 0;
    const api = {
      name: 'test',
      list: () => {
        calls += 1;
        if (calls === 3) stop.abort();
        throw new Error('bug');
      },
    };
    await reflect({
      api: api as Pick<ClusterApi, 'list' | 'name'> as ClusterApi,
      resource: nodeClaims,
      onEvent: () => undefined,
      clock: manualClock(),
      random: () => 0,
      log,
      signal: stop.signal,
      pause: async () => undefined,
    });
    expect(calls).toBe(3);
    expect(log.lines.map((line) => line.event)).toContain('cluster.watch.failed');
  });

  it('ends at once when it is told to during a pause', async () => {
    const stop = new AbortController();
    const api: Pick<ClusterApi, 'name' | 'list'> = {
      name: 'test',
      list: async () => {
        setImmediate(() => stop.abort());
        return failed('unavailable', 'down', { retryAfterSeconds: 3600 });
      },
    };
    await reflect({
      api: api as ClusterApi,
      resource: nodeClaims,
      onEvent: () => undefined,
      clock: manualClock(),
      random: () => 0,
      log: collectingLog(),
      signal: stop.signal,
    });
    expect(stop.signal.aborted).toBe(true);
  });
});
