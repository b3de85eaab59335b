import { expect, test } from 'vitest';
import { findError } from './catalog.ts';

test('a code that was spelled differently once still has its cause and its fix', () => {
  expect(findError('Unauthorised')).toBeDefined();
  expect(findError('Unauthorised')).toBe(findError('Unauthorized'));
  expect(findError('toString')).toBeUndefined();
});
