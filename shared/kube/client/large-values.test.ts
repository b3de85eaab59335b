import { expect, it } from 'vitest';
import { nodeClaims, pods } from '../contract.ts';
import { parseOf } from './large-values.ts';

const large = Array.from({ length: 30_000 }, (_, index) => `value "${index}" \\ {[`);
const claim = (requirements: unknown) => ({
  kind: 'NodeClaim',
  metadata: { name: 'one', uid: 'u', annotations: { spec: 'x'.repeat(100_000), note: '"spec":{"a":[' } },
  spec: { nodeClassRef: { name: 'default' }, requirements, taints: [] },
  status: { conditions: large },
});

it('leaves out what is large in the spec of a claim, and nothing else', () => {
  const read = parseOf(nodeClaims, JSON.stringify(claim(large)));
  expect(read).toEqual(claim(expect.stringMatching(/^\d+ characters are too many$/)));
});

it('does the same in a list, for each of its objects', () => {
  const items = [claim([]), claim(large), claim([{ key: 'a' }])];
  const read = parseOf(nodeClaims, JSON.stringify({ kind: 'NodeClaimList', metadata: {}, items }));
  expect(read).toEqual({ kind: 'NodeClaimList', metadata: {}, items: [items[0], claim(expect.any(String)), items[2]] });
});

it('leaves out what is large in the template of a pool', () => {
  const pool = { kind: 'NodePool', spec: { template: { spec: { requirements: large, taints: [] } } } };
  expect(parseOf({ ...nodeClaims, plural: 'nodepools' }, JSON.stringify(pool))).toMatchObject({
    spec: expect.anything(),
  });
  expect(JSON.stringify(parseOf({ ...nodeClaims, plural: 'nodepools' }, JSON.stringify(pool))).length).toBeLessThan(
    300,
  );
});

it('is not misled by a key of one object about the next one in the list', () => {
  const first = { kind: 'NodeClaim', spec: { resources: { requests: { spec: '1' } } } };
  const items = [first, claim([]), claim(large)];
  const read = parseOf(nodeClaims, JSON.stringify({ items })) as { items: { metadata?: unknown }[] };
  expect(read.items.map(({ metadata }) => metadata)).toEqual([
    undefined,
    items[1] && claim([]).metadata,
    claim([]).metadata,
  ]);
});

it('reads small claims, large lists of them, and other objects whole', () => {
  const small = claim(['a']);
  const text = JSON.stringify({ items: Array.from({ length: 10 }, () => small) });
  expect(parseOf(nodeClaims, text)).toEqual(JSON.parse(text));
  const pod = JSON.stringify({ kind: 'Pod', spec: { containers: large } });
  expect(parseOf(pods, pod)).toEqual(JSON.parse(pod));
});

it('refuses what is no JSON, however it is cut', () => {
  expect(() => parseOf(nodeClaims, `{"spec":{"a":[${'1,'.repeat(200_000)}`)).toThrow(SyntaxError);
});
