/** Nodes, events, claims that are gone, and a host or a cluster that is not there: what explain and trace say then. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeEvent } from '../../events/make.ts';
import { nodes } from '../../shared/kube/contract.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { clusterName, type TestWorld } from '../nodes/world.ts';
import { steady, useAsking } from './asked-world.ts';

const open = useWorld();
const asking = useAsking();
const oneType = { requirements: only(['general-small']) };

async function readyClaim(): Promise<TestWorld> {
  const world = await open();
  const { metadata } = await world.createClaim('one', oneType);
  const data = { cluster: clusterName, name: 'one', uid: metadata.uid, deleting: false, observedBy: 'bridge' } as const;
  const attributes = { id: 'e-1', time: world.clock.now(), source: '/test', subject: 'test/one' };
  await world.deliver(makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
  await world.pass(120, 5);
  return world;
}

test('a ready claim says so, what began it, what it was chosen from, and how long each stage took', async () => {
  const world = await readyClaim();
  const { ask } = await asking(world);

  const { out, head } = await ask('explain', 'one');

  expect(head[1]).toMatch(/^cause {2}nothing is wrong: node i-\w+ is ready$/);
  expect(head[2]).toBe('fix    none needed');
  await expect(steady(out)).toMatchFileSnapshot('__snapshots__/ready.txt');
});

test('the same as JSON has names that stay', async () => {
  const world = await readyClaim();
  const { ask } = await asking(world);

  const data = JSON.parse((await ask('explain', 'claim/one', '--json')).out);

  expect(Object.keys(data)).toEqual([
    'what',
    'cluster',
    'name',
    'uid',
    'diagnosis',
    'began',
    'stages',
    'decisions',
    'workflows',
    'pauses',
    'standing',
    'ours',
    'conditions',
    'events',
    'deadLetters',
    'missing',
  ]);
  expect(data).toMatchObject({
    diagnosis: { well: true },
    began: { workflow: 'launch', event: 'e-1', observedBy: 'bridge', at: '2026-01-01T00:00:00.000Z' },
  });
});

test('explain and trace answer with the same document as YAML', async () => {
  const world = await readyClaim();
  const [node] = await world.nodes();
  await world.api.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'other-1' }, spec: {} });
  const [event] = await world.eventsOf('one');
  const { ask } = await asking(world);

  for (const words of [
    ['explain', 'one'],
    ['explain', `node/${node?.metadata.name}`],
    ['explain', 'node/other-1'],
    ['explain', `event/${event?.metadata.name}`],
    ['trace', 'one'],
  ]) {
    const [json, yaml] = [await ask(...words, '-o', 'json'), await ask(...words, '-o', 'yaml')];
    expect(json.code).toBe(0);
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    expect(yaml.out).toMatch(/^what: /);
  }
});

test('a namespace is taken, and changes nothing: claims are in none', async () => {
  const world = await readyClaim();
  const { ask } = await asking(world);

  for (const command of ['explain', 'trace']) {
    const plain = await ask(command, 'one');
    expect(await ask(command, 'one', '-n', 'default')).toEqual(plain);
    expect(await ask('-A', command, 'one')).toEqual(plain);
  }
});

test('a node leads to its claim', async () => {
  const world = await readyClaim();
  const [node] = await world.nodes();
  const { ask } = await asking(world);

  const { head, err } = await ask('explain', `node/${node?.metadata.name}`);

  expect(err).toBe(`node/${node?.metadata.name} is the node of claim/one.\n`);
  expect(head[0]).toMatch(/^claim\/one in cluster test: ready/);
});

test('a node need not be called one, and the name of a claim is taken for its node', async () => {
  const world = await readyClaim();
  const [node] = await world.nodes();
  const { ask } = await asking(world);

  const bare = await ask('explain', node?.metadata.name ?? '');
  expect(bare.err).toBe(`node/${node?.metadata.name} is the node of claim/one.\n`);
  expect(bare.head[0]).toMatch(/^claim\/one in cluster test: ready/);
  const byClaim = await ask('explain', 'node/one');
  expect(byClaim.err).toBe('The cluster has no Node one; showing claim/one instead.\n');
  expect(byClaim.head[0]).toMatch(/^claim\/one in cluster test: ready/);
});

test("a node that nobody made is nobody's, and one that is not there has a name that is near", async () => {
  const world = await open();
  await world.api.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'other-1' }, spec: {} });
  const { ask } = await asking(world);

  const { head } = await ask('explain', 'node', 'other-1');
  expect(head).toEqual([
    "node/other-1: not ready, nobody's",
    'cause  it belongs to no NodeClaim, so another tool created it; Poolwright does not touch it',
    'fix    nothing',
  ]);
  const missing = await ask('explain', 'node/othre-1');
  expect(missing).toMatchObject({ code: 1, out: '' });
  expect(missing.err).toContain('did you mean "other-1"?');
});

test('a claim that is not there has a name that is near; one that is gone is known by its uid', async () => {
  const world = await readyClaim();
  const { ask } = await asking(world);
  const misspelled = await ask('explain', 'onne');
  expect(misspelled.code).toBe(1);
  expect(misspelled.err).toContain('has no NodeClaim onne; did you mean "one"?');

  const uid = (await world.claim('one'))?.metadata.uid ?? '';
  await world.deleteClaim('one');
  await world.pass(60, 5);
  const gone = await ask('explain', 'one', '--uid', uid);
  expect(gone.head[0]).toBe('claim/one in cluster test: gone');
  expect(gone.head[1]).toContain('all cloud resources are deleted; the claim is released');
  expect(gone.out).toContain('its deletion was started by');
});

test('without the host the cluster tells what it knows, and it is said what is missing', async () => {
  const world = await open();
  await world.createClaim('one', { requirements: only(['general-smal']) });
  await world.pass(10, 5);
  const { askClusterAlone } = await asking(world);

  const { out, head, code } = await askClusterAlone('explain', 'one');

  expect(code).toBe(0);
  expect(head[1]).toMatch(/^cause {2}NoInstanceTypeFits: .*the closest to "general-smal" is "general-small"/);
  expect(out).toContain('\nConditions\n');
  expect(out).toContain('\nEvents\n');
  expect(out).toMatch(/The host was not queried: No host has ever run in/);
});

test('without the cluster the host tells what it knows', async () => {
  const world = await readyClaim();
  const { askHostAlone } = await asking(world);

  const { out, code } = await askHostAlone('explain', 'one');

  expect(code).toBe(0);
  expect(out).toContain('The cluster was not queried: ');
  expect(out).toContain('is ready');
});

test('an Event of the cluster is told with what to do about it, and with its claim', async () => {
  const world = await open();
  await world.createClaim('one', { requirements: only(['general-smal']) });
  await world.pass(10, 5);
  const [event] = await world.eventsOf('one');
  const { ask } = await asking(world);

  const { head, out } = await ask('explain', `event/${event?.metadata.name}`);

  expect(head[0]).toMatch(/Warning about NodeClaim one, reported /);
  expect(head[1]).toMatch(/^cause {2}NoInstanceTypeFits: /);
  expect(out).toContain('\nclaim/one in cluster test: not launched');
});

test('an event that nobody has any more is honestly unknown', async () => {
  const { ask, askClusterAlone } = await asking(await open());

  const { code, out, err } = await ask('explain', 'event/nobody-knows');

  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^No dead letter, no Event of the cluster and none of .* has the id nobody-knows\.\nNone needed/);
  expect(err).toMatch(/\nMore: poolwright errors UnknownEvent\n$/);
  const alone = await askClusterAlone('explain', 'event/nobody-knows', '-o', 'json');
  expect(alone).toMatchObject({ code: 1, out: '' });
  expect(alone.err).toMatch(
    /^The cluster has no Event nobody-knows; the host may know more\.\nThe host was not queried: /,
  );
});

test('a trace without a history is told from the decisions, and fits the width', async () => {
  const world = await readyClaim();
  const { ask } = await asking(world);

  const { out } = await ask('trace', 'claim/one');

  await expect(steady(out).replace(/\d+ ms/g, 'n ms')).toMatchFileSnapshot('__snapshots__/trace.txt');
  const { spans } = JSON.parse((await ask('trace', 'one', '--json')).out);
  expect(spans[0]).toMatchObject({ kind: 'stage', name: 'made' });
  expect(spans[1]).toMatchObject({ kind: 'event', name: 'seen by the watch', note: 'event e-1 begins launch' });
  expect(spans.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['decision', 'call', 'stage']),
  );
});

test('names that are no names of objects are refused before anything is asked', async () => {
  const { ask } = await asking(await open());
  const { code, err } = await ask('explain', 'nod/x');
  expect(code).toBe(2);
  expect(err).toContain('did you mean "node');
});
