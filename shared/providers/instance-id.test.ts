import { expect, test } from 'vitest';
import { instanceIdOf, literally } from './instance-id.ts';

const instanceIds = [
  { pattern: '^one:///(i-[a-z]+)$' },
  { pattern: `^${literally('two://a.b/')}(\\w+)$`, ignoreCase: true },
];

test.each([
  ['one:///i-abc', 'i-abc'],
  ['ONE:///i-abc', undefined],
  ['two://a.b/Pool', 'pool'],
  ['TWO://A.B/pool', 'pool'],
  ['two://axb/pool', undefined],
  ['', undefined],
])('the id in %j is %j', (providerID, expected) => {
  expect(instanceIdOf({ instanceIds }, providerID)).toBe(expected);
});
