import { expect, it } from 'vitest';
import { failed, ok } from '../../../shared/base/result.ts';
import { followVariables } from './followed-variables.ts';
import { hasChanged } from './settings-changes.ts';

const env = {
  POOLWRIGHT_CONFIG_PARAMETER: '/config',
  POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'ssm:/token, a-plain-token-of-sixteen',
  AZURE_CLIENT_SECRET: 'ssm:/azure',
};

async function setUp(before: Record<string, string>) {
  const store = new Map(Object.entries(before));
  const read = async (reference: string) => {
    const found = store.get(reference);
    return found === undefined ? failed('unavailable', 'not now') : ok(found);
  };
  const inUse = {
    parameterText: before['ssm:/config'],
    env: await followVariables(env, read, () => undefined),
  };
  return { store, changed: () => hasChanged(inUse, { ...env, _X_AMZN_TRACE_ID: 'another' }, read) };
}

const all = { 'ssm:/config': 'a', 'ssm:/token': 't', 'ssm:/azure': 's' };

it('sees another configuration, and a secret that was replaced', async () => {
  for (const reference of Object.keys(all)) {
    const { store, changed } = await setUp(all);
    expect(await changed()).toBe(false);
    store.set(reference, 'new');
    expect(await changed()).toBe(true);
  }
});

it('goes on with what it has while something cannot be read', async () => {
  for (const reference of Object.keys(all)) {
    const { store, changed } = await setUp(all);
    store.delete(reference);
    expect(await changed()).toBe(false);
  }
});

it('sees a secret that could not be read before', async () => {
  const { store, changed } = await setUp({ 'ssm:/config': 'a', 'ssm:/azure': 's' });
  expect(await changed()).toBe(false);
  store.set('ssm:/token', 't');
  expect(await changed()).toBe(true);
});
