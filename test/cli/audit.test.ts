import { writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { type HostWorld, hostWorld } from './host-world.ts';

let world: HostWorld;
afterEach(() => world?.close());

it('shows who did what, newest first, on one line each', async () => {
  world = await hostWorld();
  await world.run('pause', 'cluster/production', '--why', 'migration', '--yes');
  world.clock.advance(1000);
  await world.run('resume', 'cluster/production', '--yes');

  const { code, out } = await world.run('audit');

  expect(code).toBe(0);
  const [head, ...rows] = out.trimEnd().split('\n');
  expect(head).toMatch(/^AGE +CALLER +ACTION +TARGET +STATUS +WITH$/);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/host-token +resume +pauses\/cluster\/production +200/);
  expect(rows[1]).toMatch(/host-token +pause +pauses\/cluster\/production +200 +\{"why":"migration"\}$/);
});

it('shows the entries of one action, as data', async () => {
  world = await hostWorld();
  await world.run('pause', 'cluster/production', '--yes');
  await world.run('resume', 'cluster/production', '--yes');

  const { out } = await world.run('audit', '--action', 'resume', '--caller', 'host-token', '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({ items: [{ action: 'resume', status: 200, answer: { lifted: true } }] });
});

it('follows pages until it has what was asked for', async () => {
  world = await hostWorld();
  for (let index = 0; index < 5; index++) {
    await world.run('pause', 'cluster/production', '--yes');
    world.clock.advance(1000);
  }
  expect(JSON.parse((await world.run('audit', '--limit', '3', '-o', 'json')).out).items).toHaveLength(3);
  const found = await world.run('audit', '--limit', '2', '--caller', 'host-token', '-o', 'name');
  expect(found.out).toBe('pause/v1/pauses/cluster/production\n'.repeat(2));
});

it('says that nothing was changed where that is so', async () => {
  world = await hostWorld();
  expect(await world.run('audit')).toMatchObject({ code: 0, out: '', err: 'No caller has changed anything.\n' });
});

it('tells the holder of a read-only token which role an action needs', async () => {
  const members = () => [{ name: 'grafana', role: 'read' as const, tokens: () => ['a-token-for-reading'] }];
  world = await hostWorld({ members });
  writeFileSync(`${world.directory}/token`, 'a-token-for-reading\n');

  expect((await world.run('pause', '--list')).code).toBe(0);
  const refused = await world.run('pause', 'cluster/production', '--yes');
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain('needs the role operate');
});
