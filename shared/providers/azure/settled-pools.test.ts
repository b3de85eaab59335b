import { expect, it } from 'vitest';
import { failed, ok, type Result } from '../../claims/errors.ts';
import type { ClusterSettings } from '../../cluster-settings.ts';
import type { AgentPools } from './agent-pools.ts';
import { settledPools } from './settled-pools.ts';

const signal = new AbortController().signal;

function world(said: Result<ClusterSettings>) {
  const asked: string[] = [];
  const pools: Partial<AgentPools> = {
    conditional: true,
    get: async (name) => {
      asked.push(name);
      return failed('not-found', 'none');
    },
  };
  const settings = { current: async () => said, problem: () => undefined };
  return { asked, pools: settledPools(pools as AgentPools, 'east', settings) };
}

it.each<[string, Result<ClusterSettings>]>([
  ['says nothing', ok({ azure: { clusterName: '' } })],
  ['says the same', ok({ azure: { clusterName: 'east' } })],
  ['does not answer', failed('not-ready', 'silent')],
])('asks about pools while the cluster %s', async (_, said) => {
  const { asked, pools } = world(said);
  expect(await pools.get('a', signal)).toMatchObject({ error: { kind: 'not-found' } });
  expect(asked).toEqual(['a']);
});

it('asks nothing when the cluster names another one, so that no pool looks deleted', async () => {
  const { asked, pools } = world(ok({ azure: { clusterName: 'west' } }));
  expect(await pools.get('a', signal)).toMatchObject({
    error: { kind: 'unavailable', message: expect.stringContaining('says west, and this process works with east') },
  });
  expect(asked).toEqual([]);
});
