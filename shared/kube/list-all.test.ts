import { expect, it } from 'vitest';
import { failed, ok, type Result } from '../base/result.ts';
import { type ClusterApi, failureCodes, type KubeObject, type ListOptions, nodes, type Page } from './contract.ts';
import { listAll, listLimits } from './list-all.ts';

const item = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
});

/** A cluster of which only lists are asked. */
function cluster(answer: (options: ListOptions) => Result<Page<KubeObject>>) {
  const asked: ListOptions[] = [];
  const list = async (_: unknown, options: ListOptions = {}) => {
    asked.push(options);
    return answer(options);
  };
  return { api: { name: 'a', list } as unknown as ClusterApi, asked };
}

const page = (more: Partial<Page<KubeObject>>) => ok({ items: [item('n')], resourceVersion: '7', ...more });

it('asks for smaller pages where one is too long, and goes on from where it was', async () => {
  const { api, asked } = cluster(({ limit = 0, continue: from }) => {
    if (from === undefined) return page({ continue: 'second' });
    return limit > 20 ? failed('unavailable', 'long', { code: failureCodes.tooLong }) : page({});
  });
  const seen: string[] = [];
  const listed = await listAll(api, nodes, {}, { onItem: ({ metadata }) => void seen.push(metadata.name) });
  expect(listed).toEqual(ok({ resourceVersion: '7' }));
  expect(seen).toEqual(['n', 'n']);
  expect(asked.map(({ limit, continue: from }) => [limit, from])).toEqual([
    [500, undefined],
    [500, 'second'],
    [100, 'second'],
    [20, 'second'],
  ]);
});

it('gives up where the smallest page is too long', async () => {
  const { api, asked } = cluster(() => failed('unavailable', 'long', { code: failureCodes.tooLong }));
  expect(await listAll(api, nodes, {}, { onItem: () => undefined })).toMatchObject({ ok: false });
  expect(asked).toHaveLength(3);
});

it.each([
  ['objects', { items: Array.from({ length: 10_000 }, (_, at) => item(String(at))) }],
  ['bytes', { bytes: 100 * 1024 * 1024 }],
  ['pages', { items: [] }],
] as const)('gives up a list that has too many %s, and lets its reader forget', async (what, more) => {
  const { api, asked } = cluster(() =>
    page({ ...more, items: [...('items' in more ? more.items : [])], continue: 'x' }),
  );
  let kept = 0;
  const reader = {
    onStart: () => {
      kept = 0;
    },
    onItem: () => {
      kept += 1;
    },
  };
  const listed = await listAll(api, nodes, {}, reader);
  const message = `the list of nodes has more than ${listLimits[what].toLocaleString('en')} ${what}, and was given up`;
  expect(listed).toMatchObject({ error: { kind: 'unavailable', code: failureCodes.tooLong } });
  expect(listed.ok ? '' : listed.error.message).toContain(message);
  expect(kept).toBe(0);
  expect(asked.length).toBeLessThanOrEqual(listLimits.pages + 1);
});
