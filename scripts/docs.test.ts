/** What the docs say about the product, held against the product. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../cli/program.ts';
import { plainTerminal } from '../cli/terminal/terminal.ts';
import { eventTypes } from '../events/catalog.ts';
import manifest from '../package.json' with { type: 'json' };
import { logEvents } from '../shared/observe/log/events.ts';

const root = join(import.meta.dirname, '..');
const pages = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

describe.each(pages)('%s', (page) => {
  it('links only to what is there', () => {
    const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    const missing = targets.filter((target) => {
      const [file = '', anchor] = target.split('#');
      if (/^https?:/.test(target)) return false;
      const path = file === '' ? join(root, page) : join(root, dirname(page), file);
      if (!existsSync(path)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(path, 'utf8')).has(anchor);
    });
    expect(missing).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const scripts = [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script ?? '');
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
  });

  it('names only commands that exist, with options that they have', () => {
    // Where a command begins: at the start of a line or of a piece of code, or behind what runs it.
    const called = read(page).matchAll(/(?:^|`|^\$ |npx |kubectl )poolwright ((?:[a-z][\w./-]*|--[a-z]).*?)(?:`|$)/gm);
    expect([...called].flatMap(([, words]) => wrongIn((words ?? '').split(/\s+/)))).toEqual([]);
  });
});

const program = createProgram(
  'poolwright',
  plainTerminal({ out: () => undefined, err: () => undefined }),
  async () => undefined,
);

/** The command or options that do not exist, if any. What a subcommand inherits from its default is known to neither, so a family counts as one. */
function wrongIn(words: readonly string[]): string[] {
  const [name = ''] = words;
  if (name.startsWith('--')) return [];
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name));
  if (command === undefined) return [words.join(' ')];
  const options = new Set([...optionsOf(command), '--help', '--debug']);
  const given = words.map((word) => /^--[a-z-]+/.exec(word)?.[0]).filter((word) => word !== undefined);
  return given.filter((option) => !options.has(option)).map((option) => `${name} ${option}`);
}

const optionsOf = (command: Command): string[] => [
  ...command.options.map(({ long }) => long ?? ''),
  ...command.commands.flatMap(optionsOf),
];

const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

it('operations.md names only log events that exist', () => {
  const listed = [...read('docs/operations.md').matchAll(/^\| `([a-z-]+\.[a-z.-]+)` \|/gm)].map(([, id]) => id ?? '');
  expect(listed.length).toBeGreaterThan(3);
  expect(listed.filter((id) => !Object.hasOwn(logEvents, id) && !/\.(db|json)$/.test(id))).toEqual([]);
});

it('architecture.md names only files that exist', () => {
  const named = [...read('docs/architecture.md').matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file ?? '');
  const places = [
    '',
    'shared/nodes',
    'shared/workflow',
    'shared/queue',
    'shared/state',
    'shared/kube',
    'functions/hosts/local',
    'functions/hosts/azure',
    'functions/hosts/aws',
    'functions/hosts/common',
  ];
  expect(named.filter((file) => !places.some((place) => existsSync(join(root, place, file))))).toEqual([]);
});

it('crds.md lists every kind that is installed, with its columns', () => {
  const installed = globSync('infra/kubernetes/crds/*.yaml', { cwd: root }).map(
    (file) => parse(read(file)) as { spec: { group: string; names: { kind: string; plural: string } } },
  );
  expect(installed.length).toBeGreaterThan(5);
  const page = read('docs/crds.md');
  for (const { group, names } of installed.map(({ spec }) => spec)) {
    expect(page).toMatch(new RegExp(`^\\| ${names.kind} \\| \`${group}/`, 'm'));
    expect(page).toContain(`| \`kubectl get ${names.plural}\` |`);
  }
});

it('http-api.md lists every event type', () => {
  for (const type of eventTypes) expect(read('docs/http-api.md')).toContain(`\`${type}\``);
});

it('http-api.md lists every route, and no other', () => {
  const routes = globSync('functions/http/**/*.ts', { cwd: root }).flatMap((file) => {
    const source = read(file);
    // Routes of one path may share it as a constant.
    const [, shared] = /^const path = '([^']+)'/m.exec(source) ?? [];
    return [...source.matchAll(/method: '([a-z]+)',\s+path(?:: '([^']+)')?,/g)].map(
      ([, method, path = shared]) => `${method?.toUpperCase()} ${path}`,
    );
  });
  const listed = [...read('docs/http-api.md').matchAll(/^\| `((?:GET|POST|PUT|DELETE) \S+)` \|/gm)].map(
    ([, route]) => route,
  );
  expect(listed.sort()).toEqual(routes.sort());
});
