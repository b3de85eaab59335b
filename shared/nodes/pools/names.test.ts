import { describe, expect, it } from 'vitest';
import { claimName, freeNames } from './names.ts';

const pool = { name: 'workers', uid: '5d2c8e0a-93a7-4be4-9c4d-7f1a0b6c2d31' };

describe('names of claims', () => {
  it('are the same for the same slot each time, and others for another pool of the same name', () => {
    expect(claimName(pool, 0)).toBe(claimName({ ...pool }, 0));
    expect(claimName(pool, 0)).toMatch(/^workers-[a-z0-9]{8}$/);
    expect(claimName({ ...pool, uid: 'another' }, 0)).not.toBe(claimName(pool, 0));
  });

  it('differ over ten thousand slots, fit into a label and are DNS names, however the pool is called', () => {
    const long = { name: `${'x'.repeat(53)}-.${'y'.repeat(80)}`, uid: 'u' };
    const names = Array.from({ length: 10_000 }, (_, slot) => claimName(long, slot));
    expect(new Set(names).size).toBe(10_000);
    for (const name of names.slice(0, 50)) expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
  });

  it('fill the lowest free slots, so that two runs with the same list choose the same', () => {
    const taken = new Set([claimName(pool, 0), claimName(pool, 2)]);
    expect(freeNames(pool, 2, (name) => taken.has(name))).toEqual([claimName(pool, 1), claimName(pool, 3)]);
  });
});
