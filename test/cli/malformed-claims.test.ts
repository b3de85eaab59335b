/** A claim that is not shaped as the CRD would have it stops no command, and is read as the functions read it. */
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { storageKey } from '../../sim/cluster/types.ts';
import { clusterWorld, condition } from './cluster-world.ts';

test('claims whose status makes no sense are shown beside the others, and explained', async () => {
  const world = await clusterWorld();
  onTestFinished(() => world.close());
  const write = async (name: string, conditions: Json) => {
    await world.claim(name);
    const { store } = world.server;
    const at = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' };
    const stored = structuredClone(await store.get({ ...at, name }));
    Object.assign(stored, { status: { conditions } });
    // Past every check.
    store.objects.put(storageKey(store.resource(at)), stored);
    await store.committed();
  };
  await write('doubled', [condition('Launched', 'False'), condition('Launched', 'True')]);
  await write('odd', 'none');

  const listed = await world.run('get', 'claims', '-o', 'wide');
  expect(listed).toMatchObject({ code: 0, err: '' });
  expect(listed.out).toMatch(/^doubled .* Booting /m);
  expect(listed.out).toMatch(/^odd /m);
  expect((await world.run('explain', 'claim/doubled')).out).toContain('launched, no node yet');
  expect((await world.run('explain', 'claim/odd')).out).toContain('not launched');
});
