/** Ten thousand claims: as many rows, in pages, with memory for the rows alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterWorld, clusterWorld, readyClaim } from './cluster-world.ts';

const many = 10_000;
let world: ClusterWorld;

beforeAll(async () => {
  world = await clusterWorld();
  const { store } = world.server;
  const kind = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' };
  const names = Array.from({ length: many }, (_, index) => `claim-${String(index).padStart(5, '0')}`);
  await Promise.all(names.map((name) => store.create(kind, aClaim(name))));
});
afterAll(() => world.close());

function aClaim(name: string) {
  const { metadata, annotations } = readyClaim(name);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, ...metadata, annotations: { ...annotations } },
    spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
  };
}

test('all of them are listed', async () => {
  const { code, out } = await world.run('get', 'claims');
  const lines = out.split('\n');

  expect(code).toBe(0);
  expect(lines).toHaveLength(many + 2);
  expect(lines[1]).toMatch(/^claim-00000 /);
  expect(lines[many]).toMatch(/^claim-09999 /);
});

test('all of them are in the head of top', async () => {
  const { out } = await world.run('top');

  expect(out).toContain(`Claims   ${many}: ${many} waiting`);
});
