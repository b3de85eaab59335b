import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { freeSpaceProblem } from './free-space.ts';

const mega = 1024 * 1024;
const options = { path: '/data', minFreeMegabytes: 256 };

test('a disk with less free space than the limit is a problem until there is more', () => {
  const clock = manualClock();
  let free = 256;
  const statfs = () => ({ bsize: mega, blocks: 100_000, bavail: free });
  const problem = freeSpaceProblem({ ...options, clock, statfs });
  expect(problem(0)).toBeUndefined();
  free = 255;
  // Not every event asks the disk.
  expect(problem(0)).toBeUndefined();
  clock.advance(500);
  expect(problem(0)).toBe('the disk of the data directory has 255 MB free, and at least 256 MB must stay free');
  free = 300;
  clock.advance(500);
  expect(problem(0)).toBeUndefined();
});

test('what was just accepted counts, because the disk does not show it yet', () => {
  const clock = manualClock();
  const statfs = () => ({ bsize: mega, blocks: 100_000, bavail: 300 });
  const problem = freeSpaceProblem({ ...options, clock, statfs });
  expect(problem(10 * mega)).toBeUndefined();
  expect(problem(5 * mega)).toContain('300 MB free');
  expect(problem(4 * mega)).toBeUndefined();
  clock.advance(500);
  expect(problem(mega)).toContain('300 MB free');
  clock.advance(500);
  expect(problem(mega)).toBeUndefined();
});

test('of a small disk a tenth must stay free', () => {
  const at = (bavail: number) =>
    freeSpaceProblem({ ...options, clock: manualClock(), statfs: () => ({ bsize: mega, blocks: 1000, bavail }) })(0);
  expect(at(100)).toBeUndefined();
  expect(at(99)).toContain('at least 100 MB');
});

test('a real disk can be asked, and one that can not tell is no problem', () => {
  expect(freeSpaceProblem({ path: tmpdir(), minFreeMegabytes: 0, clock: manualClock() })(0)).toBeUndefined();
  expect(freeSpaceProblem({ ...options, path: '/nowhere', clock: manualClock() })(0)).toBeUndefined();
});
