import { expect, it } from 'vitest';
import { failed, ok } from '../base/result.ts';
import { manualClock, systemClock } from '../base/runtime.ts';
import { connectCluster } from '../kube/client/http.ts';
import { type ClusterApi, type KubeObject, namespaces, nodeClaims } from '../kube/contract.ts';
import { collectingLog, silentLog } from '../observe/log/log.ts';
import type { State } from '../state/contract.ts';
import { openSqliteState, openStateDatabase } from '../state/sqlite/state.ts';
import { createIdentities } from './identities.ts';

/** A cluster that says which one it is, when it says anything; each has an authority of its own unless one is given. */
function cluster(name: string, uid: () => string | undefined, authority = name) {
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
    anchors: () => [`key ${authority}`],
    get: async <T extends KubeObject>() => {
      asked += 1;
      const now = uid();
      if (now === undefined) return failed('unavailable', 'away');
      return ok({ metadata: { name: 'kube-system', uid: now, resourceVersion: '1', creationTimestamp: '' } } as T);
    },
  };
  return { api, asked: () => asked };
}

/** A deployment; `restart` gives another process of it. */
function deployment(names: string[]) {
  const clock = manualClock();
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const log = collectingLog();
  return { clock, state, log, restart: () => createIdentities({ names, state, clock, log }) };
}

const disputed = { ok: false, error: { kind: 'invalid', message: expect.stringMatching(/several clusters/) } };

it('asks once for all who want to know at the same time, and again only after a failure', async () => {
  let uid: string | undefined;
  const one = cluster('one', () => uid);
  const identity = deployment(['one']).restart().identityOf(one.api);
  expect(await Promise.all([identity(), identity()])).toMatchObject([{ ok: false }, { ok: false }]);
  expect(one.asked()).toBe(1);
  uid = 'u';
  expect(await identity()).toEqual({ ok: true, value: 'u' });
  expect(await identity()).toEqual({ ok: true, value: 'u' });
  expect(one.asked()).toBe(2);
});

it.each([
  ['a', 'b'],
  ['b', 'a'],
])('serves one name of a cluster that has two, the one that was bound first: %s, not %s', async (served, other) => {
  const { restart, log } = deployment(['a', 'b', 'c']);
  const identities = restart();
  const ask = (name: string) =>
    identities.identityOf(cluster(name, () => (name === 'c' ? 'other' : 'same'), name === 'c' ? 'c' : 'both').api);
  const asked = new Map(['a', 'b', 'c'].map((name) => [name, ask(name)]));
  expect(await asked.get(served)?.()).toEqual({ ok: true, value: 'same' });
  expect(await asked.get(other)?.()).toMatchObject({
    ok: false,
    error: { kind: 'invalid', message: expect.stringMatching(/are the same cluster/) },
  });
  expect(identities.refusalOf(served)).toBeUndefined();
  expect(identities.refusalOf(other)).toMatchObject({ kind: 'invalid' });
  expect(await asked.get('c')?.()).toMatchObject({ ok: true });
  expect(log.lines).toHaveLength(1);
  // A name that is refused has answered: nobody waits for it.
  const { api } = cluster('c', () => 'other');
  expect(await identities.collectable(api)('other')).toEqual({ ok: true, value: undefined });
});

it.each(['*', '?bc', '', 'a'.repeat(100), 'a b'])(
  'does not take %j for a uid: clouds would match others with it',
  async (uid) => {
    const { restart } = deployment(['a']);
    expect(await restart().identityOf(cluster('a', () => uid).api)()).toMatchObject({
      ok: false,
      error: { kind: 'invalid' },
    });
  },
);

it('serves one of two that come in the same moment, and collects in neither, however long that lasts', async () => {
  const { restart, clock } = deployment(['a', 'b']);
  const identities = restart();
  const both = ['a', 'b'].map((name) => cluster(name, () => 'same', name).api);
  const answers = await Promise.all(both.map((api) => identities.identityOf(api)()));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  clock.advance(90_000_000);
  const [a, b] = both;
  await Promise.all(both.map((api) => identities.identityOf(api)()));
  expect(await Promise.all([a, b].map((api) => identities.collectable(api!)('same')))).toMatchObject([
    { ok: false },
    { ok: false },
  ]);
});

it('follows a cluster to another name, and its authority after that', async () => {
  const { state, clock, log } = deployment([]);
  const under = (name: string) => createIdentities({ names: [name], state, clock, log });
  const at = (name: string, keys: string[]) => ({ ...cluster(name, () => 'uid').api, anchors: () => keys });
  expect(await under('old').identityOf(at('old', ['k1']))()).toMatchObject({ ok: true });
  expect(await under('new').identityOf(at('new', ['k1', 'k2']))()).toMatchObject({ ok: true });
  const identities = under('new');
  expect(await identities.identityOf(at('new', ['k2']))()).toMatchObject({ ok: true });
  expect(await identities.collectable(at('new', ['k2']))('uid')).toEqual({ ok: true, value: undefined });
});

it('believes what another process has confirmed, after a while, and who does not answer for as long as it takes', async () => {
  const { restart, clock } = deployment(['a']);
  let uid: string | undefined = 'first';
  const { api } = cluster('a', () => uid);
  const identities = restart();
  const identity = identities.identityOf(api);
  expect(await identity()).toEqual({ ok: true, value: 'first' });
  uid = 'second';
  await restart().confirm(api)();
  clock.advance(300_000);
  expect(await identity()).toEqual({ ok: true, value: 'second' });
  uid = undefined;
  clock.advance(300_000);
  expect(await identity()).toEqual({ ok: true, value: 'second' });
});

it('does not believe a cluster that claims to be one that is known, also after a restart and while that one is away', async () => {
  const { restart, log } = deployment(['a', 'b']);
  let ofB: string | undefined = 'b';
  const b = cluster('b', () => ofB);
  const liar = cluster('a', () => 'b');
  expect(await restart().identityOf(b.api)()).toEqual({ ok: true, value: 'b' });
  ofB = undefined;
  for (const identities of [restart(), restart()]) {
    expect(await identities.identityOf(liar.api)()).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringMatching(/belongs to cluster b on another server/) },
    });
    expect(identities.refusalOf('a', { resource: nodeClaims })).toMatchObject({ kind: 'invalid' });
    expect(identities.refusalOf('a', { resource: namespaces, name: 'kube-system' })).toBeUndefined();
    expect(await identities.collectable(b.api)('b')).toMatchObject(disputed);
    expect(await identities.collectable(liar.api)('b')).toMatchObject({ ok: false });
  }
  ofB = 'b';
  const identities = restart();
  expect(await identities.identityOf(b.api)()).toEqual({ ok: true, value: 'b' });
  expect(identities.refusalOf('b')).toBeUndefined();
  expect(log.lines.map(({ event }) => event)).toContain('cluster.disputed');
});

it('collects nothing in either when the one that lies came first, until an operator says who is right', async () => {
  const { restart } = deployment(['a', 'b']);
  const liar = cluster('a', () => 'b');
  const b = cluster('b', () => 'b');
  const identities = restart();
  expect(await identities.identityOf(liar.api)()).toEqual({ ok: true, value: 'b' });
  // Nobody has heard of b so far: these instances may be its own.
  expect(await identities.collectable(liar.api)('b')).toMatchObject({
    ok: false,
    error: { kind: 'not-ready', message: expect.stringMatching(/never reached cluster b/) },
  });
  const identity = identities.identityOf(b.api);
  expect(await identity()).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  expect(await identities.collectable(liar.api)('b')).toMatchObject(disputed);
  expect(await identities.collectable(b.api)('b')).toMatchObject({ ok: false });

  expect(await identities.confirm(b.api)()).toEqual({ ok: true, value: 'b' });
  expect(await identity()).toEqual({ ok: true, value: 'b' });
  expect(await identities.collectable(liar.api)('b')).toMatchObject({ error: { kind: 'invalid' } });
  expect(await restart().identityOf(liar.api)()).toMatchObject({ ok: false, error: { kind: 'invalid' } });
});

it('refuses another uid or another server under a known name, asks again after a while, and goes on when it is itself again', async () => {
  const { restart, clock } = deployment(['a']);
  let uid = 'first';
  expect(await restart().identityOf(cluster('a', () => uid).api)()).toMatchObject({ ok: true });
  expect(await restart().identityOf(cluster('a', () => uid, 'another').api)()).toMatchObject({
    error: { message: expect.stringMatching(/a server that the host does not know/) },
  });
  uid = 'second';
  const again = cluster('a', () => uid);
  const identities = restart();
  const identity = identities.identityOf(again.api);
  const refusal = {
    error: { message: expect.stringMatching(/second.*first contact it was first.*clusters confirm a/) },
  };
  expect(await identity()).toMatchObject(refusal);
  expect(await identity()).toMatchObject(refusal);
  expect(again.asked()).toBe(1);
  uid = 'first';
  clock.advance(30_000);
  expect(await identity()).toEqual({ ok: true, value: 'first' });
  expect(identities.refusalOf('a')).toBeUndefined();
  expect(await identities.collectable(again.api)('first')).toEqual({ ok: true, value: undefined });
});

it('follows an authority that is renewed with some overlap', async () => {
  const { restart } = deployment(['a']);
  for (const keys of [['old'], ['old', 'new'], ['new']]) {
    const api = { ...cluster('a', () => 'uid').api, anchors: () => keys };
    expect(await restart().identityOf(api)()).toEqual({ ok: true, value: 'uid' });
  }
  expect(await restart().identityOf(cluster('a', () => 'uid', 'old').api)()).toMatchObject({ ok: false });
});

/** Its process dies before the write of this number: no later one is made either. */
function dying(state: State, before: number) {
  let writes = 0;
  const write = <T>(make: () => Promise<T>): Promise<T> => {
    writes += 1;
    return writes > before ? Promise.reject(new Error('the process has died')) : make();
  };
  const mortal: State = {
    get: (key) => state.get(key),
    list: (prefix, page) => state.list(prefix, page),
    put: (key, value, options) => write(() => state.put(key, value, options)),
    delete: (key, options) => write(() => state.delete(key, options)),
  };
  return { state: mortal, writes: () => writes };
}

const writesOfConfirm = 4;
const deaths = Array.from({ length: writesOfConfirm }, (_, before) => before);

/** `a` lies and came first; an operator confirms `b`, and the process dies before a write. */
async function interrupted(before: number) {
  const { clock, state, log } = deployment([]);
  const processOf = (names: string[], own: State = state) => createIdentities({ names, state: own, clock, log });
  const liar = cluster('a', () => 'b').api;
  const b = cluster('b', () => 'b').api;
  const first = processOf(['a', 'b']);
  await first.identityOf(liar)();
  expect(await first.identityOf(b)()).toMatchObject({ ok: false });
  clock.advance(1000);
  const mortal = dying(state, before);
  const confirmed = processOf(['a', 'b'], mortal.state).confirm(b)();
  const collectable = async () => {
    const here = processOf(['a', 'b']);
    return [await here.collectable(liar)('b'), await here.collectable(b)('b')].map((one) => one.ok);
  };
  return { liar, b, processOf, confirmed, collectable, writes: mortal.writes };
}

it('confirms in as many writes as the tests below interrupt', async () => {
  const { confirmed, writes } = await interrupted(100);
  expect(await confirmed).toMatchObject({ ok: true });
  expect(writes()).toBe(writesOfConfirm);
});

it.each(deaths)(
  'collects nothing after a confirmation that died before write %i, until it is made again',
  async (at) => {
    const { liar, b, processOf, confirmed, collectable } = await interrupted(at);
    await expect(confirmed).rejects.toThrow(/died/);
    expect(await collectable()).toEqual([false, false]);
    // The one that lied is removed from the configuration.
    const again = processOf(['b']);
    expect(await again.confirm(b)()).toEqual({ ok: true, value: 'b' });
    expect(await again.identityOf(b)()).toEqual({ ok: true, value: 'b' });
    expect(await again.collectable(b)('b')).toEqual({ ok: true, value: undefined });
    expect(await again.collectable(liar)('b')).toMatchObject({ ok: false });
  },
);

it.each(deaths.slice(1).flatMap((at) => [[at, 'a'] as const, [at, 'b'] as const]))(
  'completes a confirmation that died before write %i at the next contact, with %s first',
  async (at, first) => {
    const { liar, b, processOf, confirmed, collectable } = await interrupted(at);
    await expect(confirmed).rejects.toThrow(/died/);
    const next = processOf(['a', 'b']);
    for (const api of first === 'a' ? [liar, b] : [b, liar]) {
      await next.identityOf(api)();
      expect((await collectable())[0]).toBe(false);
    }
    expect(next.refusalOf('b')).toBeUndefined();
    expect(next.refusalOf('a')).toMatchObject({ kind: 'invalid' });
  },
);

it.each(deaths.slice(1))('completes it also when the one that lied is gone: write %i', async (at) => {
  const { b, processOf, confirmed } = await interrupted(at);
  await expect(confirmed).rejects.toThrow(/died/);
  const next = processOf(['b']);
  expect(await next.collectable(b)('b')).toMatchObject({ ok: false });
  expect(await next.identityOf(b)()).toEqual({ ok: true, value: 'b' });
  expect(await next.collectable(b)('b')).toEqual({ ok: true, value: undefined });
});

it('does not undo a confirmation that is made while the cluster is being judged', async () => {
  const { clock, state, log, restart } = deployment(['a', 'b']);
  const liar = cluster('a', () => 'b').api;
  const b = cluster('b', () => 'b').api;
  await restart().identityOf(liar)();
  let isFirst = true;
  const slow: State = {
    get: (key) => state.get(key),
    list: (prefix, page) => state.list(prefix, page),
    delete: (key, options) => state.delete(key, options),
    put: async (key, value, options) => {
      if (isFirst) await restart().confirm(b)();
      isFirst = false;
      return state.put(key, value, options);
    },
  };
  await createIdentities({ names: ['a', 'b'], state: slow, clock, log }).identityOf(b)();
  expect(isFirst).toBe(false);
  expect(await restart().identityOf(liar)()).toMatchObject({ ok: false });
  expect(await restart().identityOf(b)()).toEqual({ ok: true, value: 'b' });
});
