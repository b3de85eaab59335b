import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  generatedRightsPage,
  neededCommands,
  rightsPage,
  role,
  roleFile,
  roleRules,
  roleRulesFile,
} from './cloudstack-rights.ts';

it('is up to date; otherwise run npm run generate', () => {
  expect(readFileSync(rightsPage, 'utf8')).toBe(generatedRightsPage());
  expect(readFileSync(roleFile, 'utf8')).toBe(role());
  expect(readFileSync(roleRulesFile, 'utf8')).toBe(roleRules());
});

it('names the commands that the provider calls, all of them and no other', () => {
  const root = join(import.meta.dirname, '../..');
  const sources = globSync('shared/{platforms,providers}/cloudstack/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('/commands.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
  const called = sources.flatMap((text) => [
    ...text.matchAll(
      /'((?:list|query|deploy|destroy|create|delete|attach|detach|start|stop|update|get|find)[A-Z]\w+)'/g,
    ),
  ]);
  const others = ['createProvider', 'listLagSeconds'];
  const commands = new Set(called.map(([, command = '']) => command).filter((one) => !others.includes(one)));
  expect([...commands].sort()).toEqual(neededCommands.map(({ command }) => command).sort());
});
