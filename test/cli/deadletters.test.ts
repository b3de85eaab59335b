import { afterEach, expect, test } from 'vitest';
import type { DeadLetter } from '../../cli/commands/dead-letters/letters.ts';
import { listingOf } from '../../cli/commands/dead-letters/list.ts';
import { renderDeadLetter } from '../../cli/commands/dead-letters/show.ts';
import { type Format, formats, printListing } from '../../cli/terminal/output/formats.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { anEvent } from '../http/world.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let world: HostWorld;
afterEach(() => world?.close());

/** Letters 1, 2, …, with these bodies. */
async function withLetters(...bodies: string[]): Promise<HostWorld> {
  world = await hostWorld();
  await world.queue.send(bodies);
  for (const message of await world.queue.receive(bodies.length + 1)) await world.queue.deadLetter(message, 'no use');
  return world;
}

const event = JSON.stringify(anEvent());
const ids = async (): Promise<string[]> => (await world.queue.deadLetters()).items.map(({ id }) => id);

const letter = (id: string, more: Partial<DeadLetter> = {}): DeadLetter => ({
  id,
  reason: 'data.name is missing',
  body: event,
  receiveCount: 1,
  enqueuedAt: '2026-03-04T05:06:07.000Z',
  deadAt: '2026-03-04T05:06:08.000Z',
  ...more,
});
const letters = [
  letter('1'),
  letter('2', { body: '\u001b[2J{"half', reason: 'the message is not JSON: unexpected "\u001b" at position 0' }),
  letter('3', { body: '{"data":{"name":"größe"}}', receiveCount: 10, deadAt: '2026-03-01T00:00:00.000Z' }),
  letter('4', {
    body: JSON.stringify({
      type: 'dev.poolwright.node-class.changed.v1',
      data: { cluster: 'a', group: 'g', kind: 'SimNodeClass', name: 'default' },
    }),
    reason: `received 5 times, last failure: ${'very '.repeat(40)}long`,
  }),
];
const now = Date.parse('2026-03-04T06:00:00Z');

test.each(formats)('a list as %s', async (format: Format) => {
  let said = '';
  const out = (text: string): void => {
    said += text;
  };
  const terminal = plainTerminal({ out, err: () => undefined });

  await printListing(listingOf(letters, now), format, terminal);

  await expect(said).toMatchFileSnapshot(`__snapshots__/deadletters/list-${format}.txt`);
});

test.each<[string, Parameters<typeof renderDeadLetter>[0]]>([
  ['that the host could use now', letter('1', { reason: 'cluster production is not in the configuration' })],
  ['with a wrong field', { ...letter('2'), problem: 'data.name is missing' }],
  ['that is no JSON', { ...letter('3', { body: 'a\u001b[2J\nb\u009bc' }), problem: 'the message is not JSON' }],
  ['that is empty', { ...letter('4', { body: ' ' }), problem: 'the message is empty' }],
])('a letter %s is shown whole, with what to do', async (name, shown) => {
  const text = renderDeadLetter(shown, now, 90);

  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  await expect(text).toMatchFileSnapshot(`__snapshots__/deadletters/show-${name.replaceAll(' ', '-')}.txt`);
});

test('a bare deadletters lists what the host has', async () => {
  const { run } = await withLetters(event, '{');

  const { code, out } = await run('deadletters');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^ID +AGE +RECEIVED +ABOUT +WHY$/),
    expect.stringMatching(/^1 +\d+d +1 +production\/web-1 +no use$/),
    expect.stringMatching(/^2 +\d+d +1 +- +no use$/),
    '',
  ]);
  expect((await run('dead-letters', 'list', '-o', 'name')).out).toBe('deadletter/1\ndeadletter/2\n');
});

test('no dead letters are said on the side', async () => {
  const { run } = await withLetters();

  expect(await run('deadletters')).toEqual({
    code: 0,
    out: '',
    err: 'No dead letters.\n',
  });
});

test('many dead letters come from every page', async () => {
  const { run } = await withLetters(...Array.from({ length: 250 }, () => event));

  expect((await run('deadletters', '-o', 'name')).out.split('\n')).toHaveLength(251);
});

test('one is shown with what the host finds wrong with it now', async () => {
  const { run } = await withLetters(JSON.stringify(anEvent({}, { cluster: 'prodution' })));

  const { code, out } = await run('deadletters', 'show', 'deadletter/1');
  expect(code).toBe(0);
  expect(out).toContain(
    'NOW       cluster "prodution" is not in the configuration; did you mean "production"?\n' +
      'ABOUT     prodution/web-1\n',
  );
  expect(JSON.parse((await run('deadletters', 'show', '1', '-o', 'json')).out)).toMatchObject({ id: '1' });
  expect((await run('deadletters', 'show', '1', '-o', 'yaml')).out).toContain('reason: no use\n');
});

test('one that is not there is told in the words of the host', async () => {
  const { run } = await withLetters();

  const { code, err } = await run('deadletters', 'show', '7');
  expect(code).toBe(1);
  expect(err).toContain('No dead letter has this id');
});

test.each([
  ['replay', 'Put 2 dead letters (1 about production/web-1, 2) back on the queue'],
  ['drop', 'Permanently delete 2 dead letters (1 about production/web-1, 2)'],
])('%s names what it changes, and does nothing unless somebody says yes', async (verb, change) => {
  const { run, runAnswering } = await withLetters(event, '{', event);

  expect(await run('deadletters', verb, '1', '2', '--dry-run')).toEqual({
    code: 0,
    out: '',
    err: `${change}: not done, because of --dry-run.\n`,
  });
  const unasked = await run('deadletters', verb, '1', '2');
  expect(unasked).toMatchObject({ code: 3, out: '' });
  expect(unasked.err).toContain(`${change}? No terminal to ask on: pass --yes`);
  expect(await runAnswering('n', 'deadletters', verb, '1', '2')).toMatchObject({
    code: 3,
    out: '',
    questions: [`${change}? [y/N] `],
  });
  expect(await ids()).toEqual(['1', '2', '3']);
  expect(await runAnswering('y', 'deadletters', verb, '1', '2')).toMatchObject({ code: 0 });
  expect(await ids()).toEqual(['3']);
});

test('what is put back is on the queue, and what is dropped is nowhere', async () => {
  const { run, queue } = await withLetters('a', 'b');

  expect(await run('deadletters', 'replay', '1', '--yes')).toEqual({
    code: 0,
    out: '1 put back on the queue.\n',
    err: '',
  });
  expect(await run('deadletters', 'drop', '2', '-y', '--json')).toEqual({
    code: 0,
    out: '{\n  "dropped": 1\n}\n',
    err: '',
  });
  expect(await queue.stats()).toMatchObject({ ready: 1, dead: 0 });
});

test.each(['replay', 'drop'])('%s --all takes all there are, however many', async (verb) => {
  const { run } = await withLetters(...Array.from({ length: 1100 }, (_, n) => `bad ${n}`));

  const { code, out } = await run('deadletters', verb, '--all', '--yes');
  expect({ code, out: out.split(' ')[0] }).toEqual({ code: 0, out: '1100' });
  expect(await ids()).toEqual([]);
  expect(await run('deadletters', verb, '--all', '--yes')).toEqual({
    code: 0,
    out: '',
    err: 'There are no dead letters.\n',
  });
});

test('drop takes those that match, of any number, after it has said which', async () => {
  const { run, queue, clock } = await withLetters('a');
  await queue.send(['b', 'c'], { group: 'production' });
  for (const message of await queue.receive(2)) await queue.deadLetter(message, 'the cluster is away');

  expect(await run('deadletters', 'drop', '--cluster', 'production', '--reason', 'away', '--dry-run')).toEqual({
    code: 0,
    out: '',
    err: 'Permanently delete 2 dead letters (2, 3), and what matches by then: of cluster production, with "away" in the reason: not done, because of --dry-run.\n',
  });
  expect(await run('deadletters', 'drop', '--cluster', 'staging', '--yes')).toEqual({
    code: 0,
    out: '',
    err: 'No dead letter matches.\n',
  });
  clock.advance(3_600_001);
  expect(await run('deadletters', 'drop', '--cluster', 'production', '--older-than', '1h', '--yes')).toMatchObject({
    code: 0,
    out: '2 deleted.\n',
  });
  expect(await ids()).toEqual(['1']);
});

test.each([['--all'], ['1']])('drop takes a filter or %s, not both', async (other) => {
  const { run } = await withLetters('a');
  const { code, err } = await run('deadletters', 'drop', other, '--cluster', 'production', '--yes');
  expect(code).toBe(2);
  expect(err).toContain('only one of them');
  expect(await ids()).toEqual(['1']);
});

test('a letter that is not there any more is worth a failure, and the others are done', async () => {
  const { run } = await withLetters('a', 'b');

  expect(await run('deadletters', 'drop', '1', '9', '--yes')).toEqual({
    code: 1,
    out: '1 deleted.\n',
    err: 'There is no dead letter 9. It was replayed or dropped.\n',
  });
  expect(await ids()).toEqual(['2']);
  expect(await run('deadletters', 'drop', '9', '--yes')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('More: poolwright errors UnknownDeadLetter'),
  });
});

test.each([
  ['replay', []],
  ['drop', []],
  ['drop', ['1', '--all']],
])('%s %j is not understood, and nothing is done', async (verb, args) => {
  const { run } = await withLetters('a');

  const { code, err } = await run('deadletters', verb, ...args, '--yes');
  expect(code).toBe(2);
  expect(err).toContain('Pass the ids of the dead letters, or --all.');
  expect(await ids()).toEqual(['1']);
});
