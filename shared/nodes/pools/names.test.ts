import { describe, expect, it } from 'vitest';
import { claimName, freshNames, missingNames } from './names.ts';

const pool = { name: 'workers', uid: '5d2c8e0a-93a7-4be4-9c4d-7f1a0b6c2d31' };

describe('names of claims', () => {
  it('are the same for the same number each time, and others for another pool of the same name', () => {
    expect(claimName(pool, 0)).toBe(claimName({ ...pool }, 0));
    expect(claimName(pool, 0)).toMatch(/^workers-[a-z0-9]{8}$/);
    expect(claimName({ ...pool, uid: 'another' }, 0)).not.toBe(claimName(pool, 0));
  });

  it('differ over ten thousand numbers, fit into a label and are DNS names, however the pool is called', () => {
    const long = { name: `${'x'.repeat(53)}-.${'y'.repeat(80)}`, uid: 'u' };
    const names = Array.from({ length: 10_000 }, (_, number) => claimName(long, number));
    expect(new Set(names).size).toBe(10_000);
    for (const name of names.slice(0, 50)) expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
  });

  it('have the first numbers that are free, so that two runs that know the same choose the same', () => {
    const taken = new Set([claimName(pool, 4), claimName(pool, 6)]);
    const fresh = freshNames(pool, 2, 4, (name) => taken.has(name));
    expect(fresh).toEqual([5, 7].map((number) => ({ name: claimName(pool, number), number })));
  });

  it('of the last batch that are not in a list are known', () => {
    const listed = new Set([claimName(pool, 3)]);
    const missing = missingNames(pool, { from: 2, next: 5 }, (name) => listed.has(name));
    expect(missing).toEqual([claimName(pool, 2), claimName(pool, 4)]);
  });
});
