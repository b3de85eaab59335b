import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { sameJson } from '../types.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicPatch } from './strategic-patch.ts';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const object = fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 4 });

describe('a merge patch', () => {
  property.prop([object, object])('applied twice is applied once, and leaves its target alone', (target, patch) => {
    const before = JSON.stringify(target);
    const once = mergePatch(target, patch);
    expect(sameJson(mergePatch(once, patch), once)).toBe(true);
    expect(JSON.stringify(target)).toBe(before);
  });

  property.prop([object])('that is empty changes nothing', (target) => {
    expect(sameJson(mergePatch(target, {}), target)).toBe(true);
  });

  test('may carry a field called __proto__ without touching any prototype', () => {
    const result = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
});

describe('a JSON patch', () => {
  property.prop([object, json])('that adds, tests and removes ends where it began', (target, value) => {
    const path = '/not-in-the-target';
    const patch: Json = [
      { op: 'add', path, value },
      { op: 'test', path, value },
      { op: 'remove', path },
    ];
    expect(sameJson(jsonPatch(target, patch), target)).toBe(true);
  });

  test.each<[string, Json, Json]>([
    ['inserts into a list', [{ op: 'add', path: '/list/1', value: 'x' }], { list: ['a', 'x', 'b'] }],
    ['appends to a list', [{ op: 'add', path: '/list/-', value: 'x' }], { list: ['a', 'b', 'x'] }],
    ['removes from a list', [{ op: 'remove', path: '/list/0' }], { list: ['b'] }],
    ['moves within a list', [{ op: 'move', from: '/list/0', path: '/list/1' }], { list: ['b', 'a'] }],
    ['replaces in a list', [{ op: 'replace', path: '/list/0', value: 'x' }], { list: ['x', 'b'] }],
  ])('%s', (_, patch, expected) => {
    expect(jsonPatch({ list: ['a', 'b'] }, patch)).toEqual(expected);
  });

  test.each(['/list/3', '/list/01', '/list/-1', '/list/x'])('refuses to add at %s', (path) => {
    expect(() => jsonPatch({ list: ['a', 'b'] }, [{ op: 'add', path, value: 1 }])).toThrow();
  });
});

describe('a strategic patch', () => {
  const keys = { list: ['name'], set: [] };
  const target = { list: [{ name: 'a', x: 1 }, { name: 'b' }], set: ['p', 'q'] };

  test.each<[string, Json, Json]>([
    ['merges by key', { list: [{ name: 'a', y: 2 }] }, [{ name: 'a', x: 1, y: 2 }, { name: 'b' }]],
    ['appends what is new', { list: [{ name: 'c' }] }, [{ name: 'a', x: 1 }, { name: 'b' }, { name: 'c' }]],
    ['deletes by key', { list: [{ name: 'a', $patch: 'delete' }] }, [{ name: 'b' }]],
    ['replaces the list', { list: [{ $patch: 'replace' }, { name: 'c' }] }, [{ name: 'c' }]],
    [
      'orders',
      { '$setElementOrder/list': [{ name: 'b' }, { name: 'a' }], list: [] },
      [{ name: 'b' }, { name: 'a', x: 1 }],
    ],
  ])('%s', (_, patch, list) => {
    expect(strategicPatch(target, patch, keys)).toMatchObject({ list });
  });

  test('adds to and removes from a set', () => {
    expect(strategicPatch(target, { set: ['r', 'q'] }, keys)).toMatchObject({ set: ['p', 'q', 'r'] });
    expect(strategicPatch(target, { '$deleteFromPrimitiveList/set': ['p'] }, keys)).toMatchObject({ set: ['q'] });
  });

  test('needs the key of an element', () => {
    expect(() => strategicPatch(target, { list: [{ x: 1 }] }, keys)).toThrow(
      /does not contain declared merge key: name/,
    );
  });
});
