import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../state/sqlite/state.ts';
import type { RegisteredCluster } from './contract.ts';
import { clusterRegister } from './register.ts';

const record: RegisteredCluster = {
  name: 'team-a-web',
  uid: 'u-1',
  server: 'https://web.example:443',
  access: { kind: 'secret', cluster: 'office', namespace: 'team-a', name: 'web-kubeconfig', key: 'value' },
  request: { store: 'office', namespace: 'team-a', name: 'web', uid: 'r-1' },
};

function open(configured: string[] = ['office']) {
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: manualClock() });
  return { state, register: clusterRegister({ state, configured }) };
}

describe('the register of clusters', () => {
  it('takes a record twice, and brings it up to date', async () => {
    const { register } = open();
    await register.registerCluster(record);
    expect(await register.registerCluster(record)).toEqual({ ok: true, value: undefined });
    const moved = { ...record, server: 'https://other.example:443' };
    expect(await register.registerCluster(moved)).toMatchObject({ ok: true });
    expect(await register.list()).toEqual({ ok: true, value: [moved] });
  });

  it.each([
    ['of the configuration', { ...record, name: 'office' }, 'the configuration has a cluster office'],
    ['of another request', { ...record, request: { ...record.request, uid: 'r-2' } }, 'registered by the request'],
    ['of another cluster', { ...record, uid: 'u-2' }, 'another cluster answers'],
  ])('refuses a name %s', async (_, other, text) => {
    const { register } = open();
    await register.registerCluster(record);
    const refused = await register.registerCluster(other);
    expect(refused).toMatchObject({ ok: false, error: { kind: 'conflict', lasting: true } });
    expect(refused.ok ? '' : refused.error.message).toContain(text);
    expect(await register.list()).toEqual({ ok: true, value: [record] });
  });

  it('gives one name to one of two requests that ask at once', async () => {
    const { register } = open();
    const asked = [1, 2, 3].map((number) =>
      register.registerCluster({ ...record, request: { ...record.request, uid: `r-${number}` } }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('lets only the request that has registered a cluster take it away', async () => {
    const { register } = open();
    await register.registerCluster(record);
    expect(await register.unregisterCluster(record.name, { uid: 'r-2' })).toMatchObject({ ok: false });
    expect(await register.unregisterCluster(record.name, { uid: 'r-1' })).toEqual({ ok: true, value: undefined });
    expect(await register.unregisterCluster(record.name, { uid: 'r-1' })).toEqual({ ok: true, value: undefined });
    expect(await register.list()).toEqual({ ok: true, value: [] });
  });

  it('leaves out what the configuration names by now', async () => {
    const { state, register } = open();
    await register.registerCluster(record);
    const later = clusterRegister({ state, configured: [record.name] });
    expect(await later.list()).toEqual({ ok: true, value: [] });
  });
});
