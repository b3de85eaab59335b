import { describe, expect, it } from 'vitest';
import { failed, ok, type Result } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { ClusterAccess } from '../access/access.ts';
import { type ClusterApi, namespaces } from '../contract.ts';
import { deferCluster } from './deferred.ts';

function world() {
  const clock = manualClock();
  let answer: Result<ClusterAccess> = ok({ url: 'https://east' });
  const did: string[] = [];
  const cluster = {
    name: 'east',
    get: async () => failed('not-found', 'none'),
    watch: async () => ({ end: 'closed' as const }),
    close: () => void did.push('close'),
  };
  const api = deferCluster({
    name: 'east',
    clock,
    find: async () => {
      did.push('find');
      return answer;
    },
    connect: ({ url }) => {
      did.push(`connect ${url}`);
      return cluster as Partial<ClusterApi> as ClusterApi;
    },
    close: () => void did.push('close the cloud'),
  });
  const get = () => api.get(namespaces, { name: 'a' });
  return { api, clock, did, get, say: (next: Result<ClusterAccess>) => (answer = next) };
}
const signal = new AbortController().signal;

describe('a cluster whose address is asked for', () => {
  it('asks with the first call, once for all', async () => {
    const { did, get } = world();
    expect(did).toEqual([]);
    await Promise.all([get(), get(), get()]);
    expect(await get()).toMatchObject({ error: { kind: 'not-found', message: 'none' } });
    expect(did).toEqual(['find', 'connect https://east']);
  });

  it('never says not-found for an address that is not found: a missing claim is a license to delete', async () => {
    const { api, get, say } = world();
    say(failed('not-found', 'no such cluster'));
    expect(await get()).toMatchObject({
      error: { kind: 'unavailable', message: expect.stringContaining('no such cluster') },
    });
    const end = await api.watch(namespaces, { resourceVersion: '' }, () => {}, signal);
    expect(end).toMatchObject({ end: 'failed', retryAfterSeconds: 10 });
  });

  it('asks again after a pause, and not before', async () => {
    const { clock, did, get, say } = world();
    say(failed('unauthorised', 'no right'));
    expect(await get()).toMatchObject({ error: { kind: 'unauthorised' } });
    await get();
    expect(did).toEqual(['find']);
    say(ok({ url: 'https://east' }));
    clock.advance(10_000);
    expect(await get()).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('closes what it has, and opens nothing afterwards', async () => {
    const { api, did, get } = world();
    await get();
    api.close();
    expect(did.slice(-2)).toEqual(['close', 'close the cloud']);
    const unused = world();
    unused.api.close();
    expect(await unused.get()).toMatchObject({ error: { kind: 'unavailable' } });
    expect(unused.did).toEqual(['close the cloud']);
  });
});
