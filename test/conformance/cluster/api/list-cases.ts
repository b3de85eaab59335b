import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, aNode, aPod, claims, freshName, nodes, pods } from './objects.ts';

const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map((item) => item.metadata.name);

export function listCases(client: Client): void {
  test('a list has a kind, a resourceVersion and its items in order of name', async () => {
    const group = freshName('list');
    for (const one of ['c', 'a', 'b']) await client().post(claims, aClaim(`${group}-${one}`, { labels: { group } }));
    const { body } = await client().get(`${claims}?labelSelector=group%3D${group}`);
    expect([body.kind, body.apiVersion]).toEqual(['NodeClaimList', 'karpenter.sh/v1']);
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(names(body)).toEqual([`${group}-a`, `${group}-b`, `${group}-c`]);
  });

  test.each([
    ['tier=gold', ['1']],
    ['tier==gold', ['1']],
    ['tier!=gold', ['2', '3']],
    ['tier in (gold, silver)', ['1', '2']],
    ['tier notin (gold)', ['2', '3']],
    ['tier', ['1', '2']],
    ['!tier', ['3']],
    ['tier,tier!=gold', ['2']],
  ])('label selector %s', async (selector, expected) => {
    const group = freshName('select');
    const tiers: { [name: string]: object } = { 1: { tier: 'gold' }, 2: { tier: 'silver' }, 3: {} };
    for (const [one, labels] of Object.entries(tiers)) {
      await client().post(nodes, aNode(`${group}-${one}`, { labels: { group, ...labels } }));
    }
    const { body } = await client().get(`${nodes}?labelSelector=${encodeURIComponent(`group=${group},${selector}`)}`);
    expect(names(body)).toEqual(expected.map((one) => `${group}-${one}`));
  });

  test('a label selector that cannot be read is a bad request', async () => {
    expect((await client().get(`${nodes}?labelSelector=${encodeURIComponent('a in (b')}`)).code).toBe(400);
  });

  test('field selectors choose by name, and pods by node', async () => {
    const name = freshName('field');
    await client().post(nodes, aNode(name));
    const byName = await client().get(`${nodes}?fieldSelector=metadata.name%3D${name}`);
    expect(names(byName.body)).toEqual([name]);
    await client().post(pods, aPod(`${name}-on`, name));
    await client().post(pods, aPod(`${name}-off`, 'elsewhere'));
    const onNode = await client().get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${name}`);
    expect(names(onNode.body)).toEqual([`${name}-on`]);
    const not = `spec.nodeName=${name},status.phase!=Pending`;
    expect(names((await client().get(`/api/v1/pods?fieldSelector=${encodeURIComponent(not)}`)).body)).toEqual([]);
  });

  test('nodes are chosen by whether they take pods', async () => {
    const name = freshName('cordoned');
    await client().post(nodes, aNode(name));
    await client().strategic(`${nodes}/${name}`, { spec: { unschedulable: true } });
    const selector = encodeURIComponent(`spec.unschedulable=true,metadata.name=${name}`);
    expect(names((await client().get(`${nodes}?fieldSelector=${selector}`)).body)).toEqual([name]);
  });

  test('a field that the kind does not offer is a bad request', async () => {
    expect((await client().get(`${nodes}?fieldSelector=spec.providerID%3Dx`)).code).toBe(400);
  });

  test('pages show one moment, whatever is written meanwhile', async () => {
    const group = freshName('page');
    for (let i = 0; i < 5; i++) await client().post(claims, aClaim(`${group}-${i}`, { labels: { group } }));
    const path = `${claims}?labelSelector=group%3D${group}&limit=2`;
    const first = await client().get(path);
    expect(names(first.body)).toEqual([`${group}-0`, `${group}-1`]);
    await client().delete(`${claims}/${group}-3`);
    await client().post(claims, aClaim(`${group}-2a`, { labels: { group } }));
    const second = await client().get(`${path}&continue=${first.body.metadata.continue}`);
    const third = await client().get(`${path}&continue=${second.body.metadata.continue}`);
    expect([...names(second.body), ...names(third.body)]).toEqual([`${group}-2`, `${group}-3`, `${group}-4`]);
    expect(third.body.metadata.continue ?? '').toBe('');
    expect(third.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  test('a continue token that no list gave is a bad request', async () => {
    expect((await client().get(`${claims}?limit=1&continue=nonsense`)).code).toBe(400);
  });

  test('a Table has columns, cells and metadata', async () => {
    const name = freshName('table');
    await client().post(nodes, aNode(name));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await client().get(`${nodes}?fieldSelector=metadata.name%3D${name}`, { accept });
    expect([body.kind, body.apiVersion]).toEqual(['Table', 'meta.k8s.io/v1']);
    const columns = body.columnDefinitions.map((column: { name: string }) => column.name);
    expect(columns.slice(0, 5)).toEqual(['Name', 'Status', 'Roles', 'Age', 'Version']);
    expect(body.rows[0].cells.slice(0, 3)).toEqual([name, 'Ready', '<none>']);
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name } });
  });

  test('metadata alone can be asked for', async () => {
    const name = freshName('partial');
    await client().post(nodes, aNode(name));
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { body } = await client().get(`${nodes}/${name}`, { accept });
    expect(body.kind).toBe('PartialObjectMetadata');
    expect(body.spec).toBeUndefined();
  });
}
