/** The watching source: an event for each change that matters, none for our own writes, none lost. */
import { afterEach, describe, expect, it } from 'vitest';
import { watchCluster } from '../../functions/sources/cluster-watch.ts';
import { nodes } from '../../shared/kube/contract.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { NoRoomError, type Queue } from '../../shared/queue/contract.ts';
import { only, useWorld } from './use-world.ts';
import type { TestWorld } from './world.ts';

const open = useWorld();
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

type Sent = { type: string; data: Record<string, unknown>; subject?: string };

/** Watches, and collects what is sent; `refuse` makes the queue fail so many times. */
function watch(world: TestWorld, refuse = 0, refusal = new Error('the disk is full')) {
  const sent: Sent[] = [];
  const lost: string[] = [];
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  stops.push(stop);
  let refusals = refuse;
  const queue: Pick<Queue, 'send'> = {
    send: async (bodies, options) => {
      expect(options).toEqual({ group: 'test' });
      if (refusals-- > 0) throw refusal;
      for (const body of bodies) sent.push(JSON.parse(body));
      for (const look of waiting) look();
    },
  };
  const log = collectingLog();
  const { clock, ids, random } = world.services;
  const all = watchCluster({
    cluster: 'test',
    api: world.api,
    queue: queue as Queue,
    clock,
    ids,
    random,
    log,
    signal: stop.signal,
    onLost: () => lost.push('lost'),
  });
  const until = (enough: (all: Sent[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!enough(sent)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const about = (name: string): Sent[] => sent.filter(({ data }) => data.name === name);
  /** Everything before this claim has been heard of when it has. */
  const flush = async (): Promise<void> => {
    const name = `flush-${sent.length}`;
    await world.createClaim(name);
    await until(() => about(name).length > 0);
    const node = `node-${name}`;
    const made = { apiVersion: 'v1', kind: 'Node', metadata: { name: node }, spec: { providerID: `x:///${node}` } };
    await world.api.create(nodes, made);
    await until(() => about(node).length > 0);
  };
  return { sent, lost, until, about, flush, stop, all, log };
}

describe('a claim', () => {
  it('is told when it is made, deleted and gone, and our own writes make no events', async () => {
    const world = await open();
    const { about, flush, stop, all } = watch(world);
    await world.createClaim('one', { requirements: only(['general-small']) });
    await world.settle();
    await flush();
    // A whole launch has written finalizer, record, labels and conditions meanwhile.
    expect(about('one').map(({ type, data }) => [type, data.deleting])).toEqual([
      ['dev.poolwright.claim.changed.v1', false],
    ]);
    expect(about('one')[0]).toMatchObject({
      source: '/watch/test',
      subject: 'test/one',
      data: { cluster: 'test', observedBy: 'watch' },
    });
    await world.deleteClaim('one');
    await world.settle();
    await flush();
    const told = about('one').map(({ type, data }) => [type, data.deleting]);
    expect(told[1]).toEqual(['dev.poolwright.claim.changed.v1', true]);
    expect(told.at(-1)).toEqual(['dev.poolwright.claim.deleted.v1', undefined]);
    stop.abort();
    await all;
  });

  it('for whose event there is no room is left to the resync, with a count, and the next change is told', async () => {
    const world = await open();
    for (const name of ['one', 'two', 'three']) await world.createClaim(name);
    const { until, about, log, lost } = watch(world, 3, new NoRoomError('share', 'too many wait', 5));
    await world.createClaim('four');
    await until(() => about('four').length > 0);
    expect(lost).toHaveLength(3);
    // One line for all of them, until it has been quiet for a while.
    const lines = log.lines.filter(({ event }) => event === 'watch.event.lost');
    expect(lines).toMatchObject([{ fields: { cluster: 'test', events: 1, problem: 'too many wait' } }]);
    expect(about('one')).toEqual([]);
    await world.deleteClaim('one');
    await until(() => about('one').length > 0);
  });

  it('whose event the queue refused is told again', async () => {
    const world = await open();
    await world.createClaim('early');
    // Servers end a watch now and then; what was missed comes with the next list.
    const { watch: follow } = world.api;
    let ended = 0;
    Object.assign(world.api, {
      watch: (...args: unknown[]) =>
        ended++ < 2 ? Promise.resolve({ end: 'closed' }) : Reflect.apply(follow, world.api, args),
    });
    const { until, about, log } = watch(world, 1);
    await until(() => about('early').length > 0);
    expect(log.lines.map(({ event }) => event)).toContain('cluster.handler.failed');
  });
});

describe('a Node', () => {
  it('is told when it joins, gets ready, gets resources or other taints, and is deleted; our own patches are no news', async () => {
    const world = await open();
    const { about, flush } = watch(world);
    const made = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', finalizers: ['example.com/stay'] },
      spec: { providerID: 'sim:///zone-a/i-1', taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] },
    };
    const expectTold = async (count: number): Promise<void> => {
      await flush();
      expect(about('n')).toHaveLength(count);
    };
    await world.api.create(nodes, made);
    await expectTold(1);
    await world.patchNode('n', { metadata: { labels: { 'karpenter.sh/registered': 'true' } }, spec: { taints: [] } });
    await expectTold(1);
    const ready = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'r',
      message: '',
    };
    await world.patchNode('n', { status: { conditions: [ready] } }, 'status');
    await expectTold(2);
    await world.patchNode('n', { status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' } } }, 'status');
    await expectTold(3);
    await world.patchNode('n', { status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '1' } } }, 'status');
    await expectTold(4);
    await world.patchNode('n', { spec: { taints: [{ key: 'example.com/agent', effect: 'NoSchedule' }] } });
    await expectTold(5);
    await world.api.delete(nodes, { name: 'n' }, {});
    await expectTold(6);
    expect(about('n').at(-1)?.data).toMatchObject({ providerID: 'sim:///zone-a/i-1', ready: true, deleting: true });
  });

  it('without a providerID, or with one that no event can carry, is passed over', async () => {
    const world = await open();
    const { about, flush, log } = watch(world);
    const node = (name: string, providerID?: string) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: providerID === undefined ? {} : { providerID },
    });
    await world.api.create(nodes, node('bare'));
    await world.api.create(nodes, node('long', `sim:///${'x'.repeat(2000)}`));
    await flush();
    expect(about('bare')).toEqual([]);
    expect(about('long')).toEqual([]);
    expect(log.lines.map(({ event }) => event)).toContain('event.ignored');
    expect(log.lines.map(({ event }) => event)).not.toContain('cluster.handler.failed');
  });
});
