import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { refusalsIn } from './stand-ins/strict.ts';

const scratch = mkdtempSync(join(tmpdir(), 'poolwright-stand-ins-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function call(tool: string, ...args: string[]): { code: number | null; said: string } {
  const script = join(import.meta.dirname, 'stand-ins', `${tool}.ts`);
  const run = spawnSync(process.execPath, [script, ...args], {
    cwd: scratch,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DOCS_SCRATCH: scratch },
  });
  return { code: run.status, said: run.stdout + run.stderr };
}

it.each([
  ['a subcommand that it does not know', 'aws', ['eks', 'describe-clusters', '--name', 'east'], 'unknown: eks'],
  ['an option that it does not know', 'az', ['keyvault', 'purge', '--nam', 'v'], 'unknown option --nam'],
  ['an option without its value', 'az', ['keyvault', 'purge', '--name'], '--name has no value'],
  ['a missing option', 'az', ['functionapp', 'delete', '--name', 'app'], 'missing --resource-group'],
  ['options that exclude each other', 'az', ['resource', 'list', '--resource-group', 'g', '--tag', 'a=b'], '--tag'],
  ['an argument too many', 'func', ['azure', 'functionapp', 'publish', 'a', 'b'], 'unexpected: b'],
  ['a file that is not there', 'aws', ['ssm', 'put-parameter', '--name', 'n', '--value', 'file://no'], 'no file no'],
  ['what nobody has made yet', 'aws', ['cloudformation', 'describe-stacks', '--stack-name', 's'], 'does not exist'],
  ['a folder without functions', 'func', ['azure', 'functionapp', 'publish', 'app'], 'not the folder'],
  ['a stage without settings', 'npx', ['osls', 'deploy', '--stage', 'none'], 'no file infra/aws/none.yml'],
  ['a folder that is not the project', 'npm', ['ci'], 'not the folder'],
])('a stand-in refuses %s', (_what, tool, args, problem) => {
  const { code, said } = call(tool, ...args);

  expect(code).not.toBe(0);
  expect(said).toContain(problem);
});

it('a stand-in writes down what it refuses, for shells that go on', () => {
  call('az', 'role', 'assignment', 'lst');

  expect(readFileSync(refusalsIn(scratch), 'utf8')).toContain('unknown: role assignment lst');
});

it('a stand-in takes what the tool would take', () => {
  expect(call('aws', 'sts', 'get-caller-identity', '--query', 'Account', '--output', 'text')).toEqual({
    code: 0,
    said: '111122223333\n',
  });
});
