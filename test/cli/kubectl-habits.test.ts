/** What hands do that know kubectl: the same flags everywhere, and not here but not there. */
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../cli/program.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

const silent = plainTerminal({ out: () => undefined, err: () => undefined });
const program = createProgram('poolwright', silent, async () => undefined);

const all = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...all(one)]);
const flag = (command: Command, name: string) => command.options.find(({ long }) => long === name);
const pathOf = ({ name, parent }: { name: string; parent: Command | null }): string =>
  parent === null || parent.parent === null ? name : `${parent.name()} ${name}`;
const having = (name: string) =>
  all(program)
    .filter((command) => flag(command, name) !== undefined)
    .map((command) => [pathOf({ name: command.name(), parent: command.parent }), command] as const);

let world: HostWorld;
beforeAll(async () => {
  world = await hostWorld();
});
afterAll(() => world.close());

// What `start --json` writes is its log.
test.each(having('--json').filter(([name]) => name !== 'start'))('%s has -o wherever it has --json', (_, command) => {
  expect(flag(command, '--output')?.argChoices).toEqual(expect.arrayContaining(['json', 'yaml']));
});

test.each([
  ['clusters', ['clusters']],
  ['a pause', ['pause', 'cluster/production', '--yes']],
])('%s is the same document as JSON and as YAML', async (_, words) => {
  const [json, short, yaml] = [
    await world.run(...words, '-o', 'json'),
    await world.run(...words, '--json'),
    await world.run(...words, '-o', 'yaml'),
  ];

  expect(json.code).toBe(0);
  expect(short.out.replace(/\d/g, '0')).toBe(json.out.replace(/\d/g, '0'));
  expect(Object.keys(parse(yaml.out))).toEqual(Object.keys(JSON.parse(json.out)));
  expect(yaml.out).not.toMatch(/^[[{]/);
});

test('-o wins over --json', async () => {
  const { out } = await world.run('clusters', '--json', '-o', 'text');

  expect(out).not.toMatch(/^[[{]/);
});

// They run, and ask nobody; -n would look as if they served one namespace.
const servers = ['bridge', 'simulate'];

test.each(having('--context').filter(([name]) => !servers.includes(name)))('%s takes -n and -A', (_, command) => {
  expect([flag(command, '--namespace')?.short, flag(command, '--all-namespaces')?.short]).toEqual(['-n', '-A']);
});

test.each([['-A'], ['-n=default'], ['--namespace=default']])('%s changes nothing of a log', async (namespace) => {
  const [plain, named] = [await world.run('logs'), await world.run('logs', namespace)];

  expect(named).toEqual(plain);
});
