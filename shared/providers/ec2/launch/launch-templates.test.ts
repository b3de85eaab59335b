import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Aws, startAws } from '../../../../sim/aws/start.ts';
import type { ErrorKind } from '../../../base/result.ts';
import { manualClock } from '../../../base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../../state/sqlite/state.ts';
import { createEc2Calls, type Ec2Calls } from '../calls/calls.ts';
import { LaunchTemplates } from './launch-templates.ts';

const whose = { deployment: 'main', cluster: 'c-1' };
const day = 86_400_000;
let aws: Aws;
let calls: Ec2Calls;
const clock = manualClock();
beforeEach(async () => {
  aws = await startAws({ clock, wakeByItself: false });
  calls = createEc2Calls({ connection: { region: aws.region, endpoint: aws.url, credentials: aws.credentials } });
});
afterEach(async () => {
  calls.close();
  await aws.close();
});

const world = () => {
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const open = () => new LaunchTemplates({ calls, state, clock, scope: 'own/us-east-1/demo' });
  return { state, open };
};
const template = (name: string) => ({ name: `poolwright/${name}`, data: { ImageId: 'ami-1' } });
const ensure = async (templates: LaunchTemplates, ...names: string[]): Promise<ErrorKind | 'ok'> => {
  const done = await templates.ensure(names.map(template), whose, { team: 'web' });
  return done.ok ? 'ok' : done.error.kind;
};
const names = (): string[] => aws.templates().map(({ name }) => name);

test('many who want the same make it once, and another process finds it without asking AWS', async () => {
  const { open } = world();
  const first = open();
  expect(await Promise.all(Array.from({ length: 20 }, () => ensure(first, 'a', 'b')))).toEqual(Array(20).fill('ok'));
  expect(names()).toEqual(['poolwright/a', 'poolwright/b']);
  const before = { ...aws.calls() };
  expect(await ensure(open(), 'a')).toBe('ok');
  expect(aws.calls()).toEqual(before);
  expect(aws.templates()[0]?.tags).toMatchObject({ team: 'web', 'poolwright.dev/deployment': 'main' });
});

test('two processes that make it at the same time both have it', async () => {
  expect(await Promise.all([ensure(world().open(), 'a'), ensure(world().open(), 'a')])).toEqual(['ok', 'ok']);
  expect(names()).toEqual(['poolwright/a']);
});

test('one that is gone is made again once it was forgotten', async () => {
  const { open } = world();
  const templates = open();
  await ensure(templates, 'a');
  await calls.ec2('DeleteLaunchTemplate', { LaunchTemplateName: 'poolwright/a' }, AbortSignal.timeout(60_000));
  await ensure(templates, 'a');
  expect(names()).toEqual([]);
  await templates.forget(['poolwright/a']);
  await ensure(templates, 'a');
  expect(names()).toEqual(['poolwright/a']);
});

test('one that nobody used for a day goes when another is made; what is used, or is not ours, stays', async () => {
  const { open } = world();
  await ensure(open(), 'unused', 'used');
  const theirs = { ...whose, deployment: 'other' };
  await open().ensure([template('theirs')], theirs, {});
  clock.advance(day * 0.75);
  await ensure(open(), 'used');
  clock.advance(day * 0.5);

  await ensure(open(), 'new');

  expect(names().sort()).toEqual(['poolwright/new', 'poolwright/theirs', 'poolwright/used']);
});

test('what AWS refuses is told, and tried again by the next', async () => {
  const templates = world().open();
  aws.failAction({ action: 'CreateLaunchTemplate', code: 'UnauthorizedOperation', status: 403 });
  expect(await ensure(templates, 'a')).toBe('unauthorised');
  aws.failAction({ action: 'CreateLaunchTemplate', code: 'InternalError', status: 500 });
  expect(await ensure(templates, 'a')).toBe('unavailable');
  expect(await ensure(templates, 'a')).toBe('ok');
});
