import { expect, it } from 'vitest';
import { ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { Provider } from '../../providers/contract.ts';
import type { InstanceType } from '../claims/choice/offerings.ts';
import type { LifecycleServices } from '../steps/services.ts';
import { catalogFor } from './catalog.ts';

const aType = (name: string): InstanceType => ({ name, labels: {}, capacity: { cpu: '2' }, offerings: [] });

/** A provider that gives the list it was told to give, and counts how often it is asked for which node class. */
function cloud(list: InstanceType[]) {
  const asked: string[] = [];
  const state = { list };
  const provider = {
    name: 'cloud',
    instanceTypes: async ({ name }: { name: string }) => {
      asked.push(name);
      return ok(state.list);
    },
  } as unknown as Provider;
  const clock = manualClock();
  const services = { clock, settings: { catalogSeconds: 300 } } as unknown as LifecycleServices;
  const ask = async (name: string, options?: { askProvider: boolean }) => {
    const nodeClass = { name, spec: {}, uid: 'x' };
    const answer = await catalogFor(services, provider, nodeClass, new AbortController().signal, options);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  return { ask, asked, state, clock };
}

it('a list that the provider gives again is not compiled again', async () => {
  const { ask, asked, state, clock } = cloud([aType('small')]);
  const first = await ask('default');
  clock.advance(300_000);
  expect(await ask('default')).toBe(first);
  expect(await ask('default', { askProvider: true })).toBe(first);
  expect(await ask('another')).toBe(first);
  expect(asked).toEqual(['default', 'default', 'default', 'another']);
  state.list = [aType('large')];
  expect((await ask('default', { askProvider: true })).types.map(({ name }) => name)).toEqual(['large']);
});

it('with very many node classes those that are used stay, and the others are asked for anew', async () => {
  const { ask, asked } = cloud([aType('small')]);
  await ask('used');
  for (let count = 0; count < 300; count++) {
    await ask(`class-${count}`);
    await ask('used');
  }
  expect(asked.filter((name) => name === 'used')).toHaveLength(1);
  await ask('class-0');
  expect(asked.filter((name) => name === 'class-0')).toHaveLength(2);
});
