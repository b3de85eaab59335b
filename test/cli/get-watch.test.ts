/** `get -w` and `events -w`: rows as they change, through whatever happens to the line, until somebody ends it. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { events, nodeClaims } from '../../shared/kube/contract.ts';
import { type ClusterWorld, clusterWorld, condition, mustBe, present, readyClaim } from './cluster-world.ts';

let world: ClusterWorld;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: present });
  // So short a memory that whoever was away for two changes has to list again.
  world = await clusterWorld({ history: 1 });
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const setReady = async (name: string) =>
  mustBe(
    await world.api.mergePatch(
      nodeClaims,
      { name },
      { status: readyClaim(name).status ?? {} },
      { subresource: 'status' },
    ),
  );
const remove = async (name: string) => mustBe(await world.api.delete(nodeClaims, { name }, {}));

describe('a watch of claims', () => {
  test('begins with what is there, and goes on with what changes', async () => {
    await world.claim('a');
    const watch = world.begin('get', 'claims', '-w');
    await watch.says('NotSeenYet');

    await setReady('a');
    await watch.says(/^a +True/m);
    await world.claim('b');
    await watch.says(/^b +Unknown/m);
    await remove('a');
    await watch.says('deleted');
    const { code, out, err } = await watch.end();

    expect({ code, err }).toEqual({ code: 130, err: '' });
    await expect(out).toMatchFileSnapshot('__snapshots__/get/claims-watch.txt');
  });

  test('says nothing about a change that no column shows', async () => {
    await world.claim('a');
    const watch = world.begin('get', 'claims', '-w', '-o', 'name');
    await watch.says('nodeclaim.karpenter.sh/a');

    mustBe(await world.api.mergePatch(nodeClaims, { name: 'a' }, { metadata: { annotations: { x: 'y' } } }));
    await world.claim('b');
    await watch.says('nodeclaim.karpenter.sh/b');

    expect((await watch.end()).out).toBe('nodeclaim.karpenter.sh/a\nnodeclaim.karpenter.sh/b\n');
  });

  test('of one name leaves out the others', async () => {
    await world.claim('a');
    await world.claim('b');
    const watch = world.begin('get', 'claims', 'b', '-w', '-o', 'name');
    await watch.says('nodeclaim.karpenter.sh/b');

    await setReady('a');
    await setReady('b');
    await watch.says('nodeclaim.karpenter.sh/b\nnodeclaim.karpenter.sh/b\n');

    expect((await watch.end()).out).toBe('nodeclaim.karpenter.sh/b\nnodeclaim.karpenter.sh/b\n');
  });

  test('goes on after its line was cut, with what was missed and what is gone', async () => {
    await world.claim('stays');
    await world.claim('goes');
    const watch = world.begin('get', 'claims', '-w');
    await watch.says(/^stays/m);

    world.cut();
    await setReady('stays');
    await remove('goes');
    await world.claim('comes');
    world.mend();
    await watch.says(/^comes/m);
    await watch.says(/^goes.*deleted/m);
    const { code, out } = await watch.end();

    expect(code).toBe(130);
    // Once before and once after: a list that begins anew is no change.
    expect(out.match(/^stays/gm)).toHaveLength(2);
  });

  test('that can not begin ends at once, with the reason', async () => {
    world.cut();

    const { code, err } = await world.run('get', 'claims', '-w');

    expect(code).toBe(1);
    expect(err).toContain('is unreachable');
  });

  test('as json is one document a line', async () => {
    await world.claim('a');
    const watch = world.begin('get', 'claims', '-w', '-o', 'json');
    await watch.says('"name":"a"');
    await setReady('a');
    await watch.says('"ready":"True"');

    const lines = (await watch.end()).out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).ready)).toEqual(['Unknown', 'True']);
  });
});

test('a watch of nodes has the prices of their claims', async () => {
  await world.claim('web', readyClaim('web'));
  const owners = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'web', uid: 'u' }];
  await world.node('first', { metadata: { ownerReferences: owners } });
  const watch = world.begin('get', 'nodes', '-w');
  await watch.says(/^first .*\$0\.0384\/h/m);

  await world.node('second', { metadata: { ownerReferences: owners } });
  await watch.says(/^second .*\$0\.0384\/h/m);

  expect((await watch.end()).code).toBe(130);
});

/** An Event as the lifecycle writes it. */
async function tell(
  name: string,
  reason: string,
  type: string,
  at: string,
  { component = 'poolwright', kind = 'NodeClaim' } = {},
) {
  mustBe(
    await world.api.create(events, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${reason.toLowerCase()}`, namespace: 'default' },
      involvedObject: { apiVersion: 'karpenter.sh/v1', kind, name, uid: 'u' },
      type,
      reason,
      message: `${reason} of ${name}: ${'so it is, '.repeat(20)}\u001b[2J`,
      source: { component },
      reportingComponent: component,
      reportingInstance: 'local',
      firstTimestamp: at,
      lastTimestamp: at,
      count: 3,
    }),
  );
}

describe('events', () => {
  beforeEach(async () => {
    await tell('web', 'QuotaExceeded', 'Warning', '2026-03-04T05:00:07Z');
    await tell('web', 'Launching', 'Normal', '2026-03-04T04:00:07Z');
    await tell('db', 'Ready', 'Normal', '2026-03-04T05:05:07Z');
    await tell('web', 'Scheduled', 'Normal', '2026-03-04T05:05:07Z', { component: 'default-scheduler' });
  });

  test.each(['table', 'wide', 'json', 'yaml', 'name'])('come oldest first and whole, as %s', async (format) => {
    const { code, out, err } = await world.run('events', '-o', format);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot(`__snapshots__/events/${format}.txt`);
  });

  test.each([
    ['of one claim', ['claim/web'], ['web.launching', 'web.quotaexceeded']],
    ['of a claim as two words', ['claim', 'db'], ['db.ready']],
    ['of a bare name', ['db'], ['db.ready']],
    ['of the last minutes', ['--since', '10m'], ['web.quotaexceeded', 'db.ready']],
    ['of a namespace', ['-n', 'default', 'db'], ['db.ready']],
  ])('%s', async (_, args, expected) => {
    const { out } = await world.run('events', ...args, '-o', 'name');

    expect(out).toBe(expected.map((name) => `event/default/${name}\n`).join(''));
  });

  test('of a pool, as the table calls it', async () => {
    await tell('workers', 'ScaledUp', 'Normal', '2026-03-04T05:00:07Z', { kind: 'NodePool' });

    expect(await world.run('events', 'pool/workers', '-o', 'name')).toMatchObject({
      code: 0,
      out: 'event/default/workers.scaledup\n',
    });
  });

  test('of something that is not there say so', async () => {
    expect((await world.run('events', 'claim/nobody-at-all')).err).toContain(
      'There is no NodeClaim "nobody-at-all" now',
    );
  });

  test('of nothing are none, which is said to people only', async () => {
    expect(await world.run('events', 'node/web')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^No Events/),
    });
  });

  test('since no time at all are not understood', async () => {
    expect(await world.run('events', '--since', 'yesterday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--since: "yesterday" is not a duration'),
    });
  });

  test('are followed, and one that counts on is told again', async () => {
    const watch = world.begin('events', '-w', '-o', 'name');
    await watch.says('event/default/db.ready');

    await tell('new', 'Ready', 'Normal', '2026-03-04T05:06:07Z');
    await watch.says('event/default/new.ready');
    mustBe(await world.api.mergePatch(events, { name: 'web.quotaexceeded', namespace: 'default' }, { count: 4 }));
    await watch.says(/new\.ready\nevent\/default\/web\.quotaexceeded\n$/);

    expect((await watch.end()).code).toBe(130);
  });
});

test('top without a terminal is text, once', async () => {
  await world.claim('ready', readyClaim('ready'));
  await world.claim('sold-out', {
    status: { conditions: [condition('Launched', 'False', 'InsufficientCapacity', 'every offering is sold out')] },
  });
  await world.node('i-ready', {
    metadata: { ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'ready', uid: 'u' }] },
  });

  const { code, out, err } = await world.run('top');

  expect({ code, err }).toEqual({ code: 0, err: '' });
  await expect(out).toMatchFileSnapshot('__snapshots__/top/plain.txt');
});

test('top without a terminal goes on with -w until it is ended', async () => {
  await world.claim('a');
  const watch = world.begin('top', '-w', '--every', '1');
  await watch.says(/Claims {3}1.*Claims {3}1/s);

  expect((await watch.end()).code).toBe(130);
});
