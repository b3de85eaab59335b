import { describe, expect, it } from 'vitest';
import { failed, ok } from '../base/result.ts';
import { type ClusterApi, type KubeObject, nodeClaims } from './contract.ts';
import { deleteAsRead } from './delete-as-read.ts';

const at = (resourceVersion: string, uid = 'u1'): KubeObject => ({
  metadata: { name: 'one', uid, resourceVersion, creationTimestamp: '' },
});

/** A server with one object, which changes as often as there are versions. */
function server(...versions: KubeObject[]) {
  const asked: unknown[] = [];
  const api = {
    get: async () => (versions[0] ? ok(versions[0]) : failed('not-found', 'gone')),
    delete: async (_: unknown, __: unknown, options: { uid: string; resourceVersion: string }) => {
      asked.push(options);
      const [now] = versions;
      if (!now) return failed('not-found', 'gone');
      const { uid, resourceVersion } = now.metadata;
      return options.uid === uid && options.resourceVersion === resourceVersion
        ? ok(undefined)
        : failed('conflict', '');
    },
  } as unknown as ClusterApi;
  return { api, asked };
}

describe('deleting an object as it was read', () => {
  it('names the uid and the version that it had', async () => {
    const { api, asked } = server(at('1'));
    expect(await deleteAsRead(api, nodeClaims, at('1'), () => false)).toEqual(ok('deleted'));
    expect(asked).toEqual([{ uid: 'u1', resourceVersion: '1' }]);
  });

  it('asks again about one that has changed, and deletes just that version', async () => {
    const { api, asked } = server(at('2'));
    const seen: KubeObject[] = [];
    expect(await deleteAsRead(api, nodeClaims, at('1'), (now) => seen.push(now) > 0)).toEqual(ok('deleted'));
    expect(seen).toEqual([at('2')]);
    expect(asked.at(-1)).toEqual({ uid: 'u1', resourceVersion: '2' });
  });

  it('leaves one for which the reason no longer holds', async () => {
    const { api, asked } = server(at('2'));
    expect(await deleteAsRead(api, nodeClaims, at('1'), () => false)).toEqual(ok('changed'));
    expect(asked).toHaveLength(1);
  });

  it('leaves one that keeps changing to the next run', async () => {
    const { api } = server(at('2'));
    const restless = { ...api, delete: async () => failed('conflict', '') } as unknown as ClusterApi;
    expect(await deleteAsRead(restless, nodeClaims, at('1'), () => true)).toEqual(ok('changed'));
  });

  it.each([
    ['one that is gone', server()],
    ['another one under its name', server(at('1', 'u2'))],
  ])('has nothing to do with %s', async (_, { api }) => {
    expect(await deleteAsRead(api, nodeClaims, at('1'), () => true)).toEqual(ok('gone'));
  });

  it('returns what the server refuses', async () => {
    const refusing = { delete: async () => failed('invalid', 'no') } as unknown as ClusterApi;
    expect(await deleteAsRead(refusing, nodeClaims, at('1'), () => true)).toMatchObject({ ok: false });
  });
});
