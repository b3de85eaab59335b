/** A command that is newer than its host: what it shows is made from the sentences that such a host tells. */
import { expect, test } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { addPod, labeled, readyWorld, setBudget } from '../nodes/drain-world.ts';
import { only, soldOut, useWorld } from '../nodes/use-world.ts';
import { steady, useAsking } from './asked-world.ts';

const open = useWorld();
const asking = useAsking();

test('a claim that is ready is explained and traced as by a newer host', async () => {
  const world = await readyWorld(open);
  const { ask, askOlderHost } = await asking(world);

  for (const command of ['explain', 'trace']) {
    const [newer, older] = [await ask(command, 'one'), await askOlderHost(command, 'one')];
    expect(older).toMatchObject({ code: 0, err: '' });
    expect(steady(older.out)).toBe(steady(newer.out));
  }
});

test('a budget that holds a drain is known by its sentence', async () => {
  const world = await readyWorld(open);
  await addPod(world, 'web', { metadata: labeled('web'), spec: { terminationGracePeriodSeconds: 0 } });
  await setBudget(world, 'guard', 'web', 0);
  await world.deleteClaim('one');
  await world.pass(60, 10);
  const { ask, askOlderHost } = await asking(world);

  const { head } = await askOlderHost('explain', 'one');

  expect(head).toEqual((await ask('explain', 'one')).head);
  expect(head[2]).toMatch(/^fix {4}relax PodDisruptionBudget default\/guard/);
});

test('what failed is told without the time of the next try, which the cure says', async () => {
  const world = await open({ cloud: { faults: [soldOut('general-small', 'zone-a')] } });
  await world.createClaim('one', { requirements: only(['general-small']) });
  await world.pass(10, 5);
  const { ask, askOlderHost } = await asking(world);

  expect((await askOlderHost('explain', 'one')).head).toEqual((await ask('explain', 'one')).head);
});

test('a dead letter is looked for from here', async () => {
  const world = await open();
  const { metadata } = await world.createClaim('one', { requirements: only(['general-small']) });
  const data = { cluster: 'tset', name: 'one', uid: metadata.uid, deleting: false, observedBy: 'bridge' } as const;
  const attributes = { id: 'e-17', time: world.clock.now(), source: '/test', subject: 'tset/one' };
  await world.services.events.send([JSON.stringify(makeEvent('dev.poolwright.claim.changed.v1', data, attributes))]);
  const [message] = await world.services.events.receive(1);
  await world.services.events.deadLetter(message!, 'cluster tset is not in the configuration');
  const { askOlderHost } = await asking(world);

  expect((await askOlderHost('explain', 'one')).head[1]).toMatch(/^cause {2}DeadLettered: .*cluster tset/);
  expect((await askOlderHost('explain', 'event/e-17')).head[0]).toMatch(/^event\/e-17: a dead letter since /);
});
