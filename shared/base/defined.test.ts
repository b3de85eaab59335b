import { expect, it } from 'vitest';
import { defined } from './defined.ts';

it('leaves out what is undefined, and keeps null, false, zero and the order of the rest', () => {
  const kept = defined({ b: 0, gone: undefined, a: null, c: false, d: '' });
  expect(kept).toStrictEqual({ b: 0, a: null, c: false, d: '' });
  expect(Object.keys(kept)).toEqual(['b', 'a', 'c', 'd']);
});
