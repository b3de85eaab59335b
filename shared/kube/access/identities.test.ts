import { expect, it } from 'vitest';
import { failed, ok } from '../../base/result.ts';
import { systemClock } from '../../base/runtime.ts';
import { collectingLog, silentLog } from '../../observe/log/log.ts';
import { connectCluster } from '../client/http.ts';
import type { ClusterApi, KubeObject } from '../contract.ts';
import { createIdentities } from './identities.ts';

/** A cluster that says which one it is, when it says anything. */
function cluster(name: string, uid: () => string | undefined) {
  let asked = 0;
  const api: ClusterApi = {
    ...connectCluster({
      name,
      url: 'http://127.0.0.1:1',
      clock: systemClock,
      log: silentLog,
      requestTimeoutMs: 1000,
      fieldManager: 'test',
    }),
    get: async <T extends KubeObject>() => {
      asked += 1;
      const now = uid();
      if (now === undefined) return failed('unavailable', 'away');
      return ok({ metadata: { name: 'kube-system', uid: now, resourceVersion: '1', creationTimestamp: '' } } as T);
    },
  };
  return { api, asked: () => asked };
}

it('asks once for all who want to know at the same time, and again only after a failure', async () => {
  let uid: string | undefined;
  const one = cluster('one', () => uid);
  const identity = createIdentities(['one'], silentLog).identityOf(one.api);
  expect(await Promise.all([identity(), identity()])).toMatchObject([{ ok: false }, { ok: false }]);
  expect(one.asked()).toBe(1);
  uid = 'u';
  expect(await identity()).toEqual({ ok: true, value: 'u' });
  expect(await identity()).toEqual({ ok: true, value: 'u' });
  expect(one.asked()).toBe(2);
});

it.each([
  ['first', ['a', 'b']],
  ['last', ['b', 'a']],
])(
  'serves the name that stands first in the configuration when it answers %s, and names both',
  async (_name, order) => {
    const log = collectingLog();
    const identities = createIdentities(['a', 'b', 'c'], log);
    const ask = (name: string) => identities.identityOf(cluster(name, () => (name === 'c' ? 'other' : 'same')).api);
    const asked = new Map(['a', 'b', 'c'].map((name) => [name, ask(name)]));
    for (const name of order) await asked.get(name)?.();
    expect(await asked.get('a')?.()).toEqual({ ok: true, value: 'same' });
    expect(await asked.get('b')?.()).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringMatching(/clusters\.a and clusters\.b are the same cluster/) },
    });
    expect(identities.refusalOf('a')).toBeUndefined();
    expect(identities.refusalOf('b')).toMatchObject({ kind: 'invalid' });
    expect(await asked.get('c')?.()).toMatchObject({ ok: true });
    expect(log.lines).toHaveLength(1);
  },
);
