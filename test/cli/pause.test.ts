import { afterEach, expect, test } from 'vitest';
import { listingOf } from '../../cli/commands/pause/list.ts';
import { type Format, formats, printListing } from '../../cli/terminal/output/formats.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let world: HostWorld;
afterEach(() => world?.close());

const paused = async () => (await world.get('/v1/pauses')).json.items;

test.each(formats)('a list as %s', async (format: Format) => {
  let said = '';
  const out = (text: string): void => {
    said += text;
  };
  const listing = listingOf(
    [
      {
        kind: 'cluster',
        name: 'production',
        setBy: 'request',
        why: 'moving \u001b[2J house',
        at: '2026-03-04T05:06:07.000Z',
      },
      { kind: 'provider', name: 'sim', setBy: 'request', at: '2026-03-04T05:06:07.000Z' },
      { kind: 'provider', name: 'ec2', setBy: 'configuration', cluster: 'staging' },
    ],
    Date.parse('2026-03-04T06:00:00Z'),
  );

  await printListing(listing, format, plainTerminal({ out, err: () => undefined }));

  await expect(said).toMatchFileSnapshot(`__snapshots__/pause/list-${format}.txt`);
});

test.each([
  ['as one word', ['cluster/production']],
  ['as two words', ['cluster', 'production']],
  ['by another name of the kind', ['clusters/production']],
])('a pause is set and lifted, its target written %s', async (_name, target) => {
  world = await hostWorld();
  const { run } = world;

  expect(await run('pause', ...target, '--why', 'a test', '--yes')).toEqual({
    code: 0,
    out: 'cluster/production is paused. Deletions continue.\n',
    err: "Lift it with 'poolwright resume cluster/production'; 'poolwright get claims' shows the waiting claims.\n",
  });
  expect((await run('pause', '--list')).out).toMatch(/^cluster\/production +- +a command +\d+d +a test$/m);
  expect(await run('resume', ...target, '--yes')).toEqual({
    code: 0,
    out: 'The pause of cluster/production is lifted.\n',
    err: '',
  });
  expect(await run('resume', ...target)).toMatchObject({
    code: 0,
    out: expect.stringContaining('was not paused by a command'),
  });
  expect(await run('pause', '--list')).toEqual({ code: 0, out: '', err: 'Nothing is paused.\n' });
});

test('a pause names its target and asks', async () => {
  world = await hostWorld();
  const { run, runAnswering } = world;
  const change = 'Pause provider/sim: no new instances are created with it';

  expect(await run('pause', 'provider/sim', '--dry-run')).toMatchObject({
    code: 0,
    err: `${change}: not done, because of --dry-run.\n`,
  });
  expect(await run('pause', 'provider/sim')).toMatchObject({ code: 3 });
  expect(await runAnswering('', 'pause', 'provider/sim')).toMatchObject({ code: 3, questions: [`${change}? [y/N] `] });
  expect(await paused()).toEqual([]);
  expect(await runAnswering('yes', 'pause', 'provider/sim', '--why', 'dear')).toMatchObject({ code: 0 });
  expect(await paused()).toMatchObject([{ kind: 'provider', name: 'sim', why: 'dear' }]);
});

test('a pause of what is paused, and the end of it, say why it was paused', async () => {
  world = await hostWorld();
  const { run, runAnswering } = world;
  await run('pause', 'cluster/production', '--why', 'a test', '--yes');
  const why = 'by a command since 2026-01-01T00:00:00.000Z, because of "a test"';

  expect((await run('pause', 'cluster/production', '--dry-run')).err).toContain(`(already paused ${why})`);
  const { code, questions } = await runAnswering('no', 'resume', 'cluster/production');
  expect(code).toBe(3);
  expect(questions).toEqual([
    `Lift the pause of cluster/production ${why}: waiting claims continue and create instances? [y/N] `,
  ]);
  expect(await paused()).toHaveLength(1);
});

test('a pause of the configuration is not lifted by a command, which says so', async () => {
  world = await hostWorld({ cluster: { paused: true } });

  expect(await world.run('resume', 'cluster/production')).toEqual({
    code: 1,
    out: 'cluster/production was not paused by a command.\n',
    err: 'cluster production is still paused by the configuration. Change it there and restart the host.\n',
  });
});

test.each([
  ['a misspelled cluster', ['cluster/prodution', '-y'], 1, 'did you mean "production"?'],
  ['a bare name', ['sim', '-y'], 2, 'cluster/<name> or provider/<name>'],
  ['nothing', [], 2, 'cluster/<name> or provider/<name>'],
  ['another kind', ['node/a'], 2, 'Unknown kind "node"'],
  ['too many words', ['cluster', 'a', 'b'], 2, 'cluster/<name> or provider/<name>'],
  ['a target in a list', ['--list', 'cluster/a'], 2, 'cannot be combined with a target'],
])('%s is refused', async (_name, args, code, message) => {
  world = await hostWorld();

  const said = await world.run('pause', ...args);
  expect(said).toMatchObject({ code, out: '' });
  expect(said.err).toContain(message);
  expect(await paused()).toEqual([]);
});
