import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agentPoolName, neededNodeResourceGroup, shortened, stableGuid, usualDnsPrefix } from './names.ts';

const clusterName = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/);

it('a DNS prefix from any name that Azure allows is one that Azure allows', () => {
  fc.assert(
    fc.property(clusterName, (name) => {
      expect(usualDnsPrefix(name)).toMatch(/^[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?$/);
    }),
  );
});

it('an agent pool has a name that AKS allows, whatever its type is called', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (type, fixed) => {
      expect(agentPoolName(type, fixed)).toMatch(/^[a-z][a-z0-9]{0,11}$/);
      expect(agentPoolName(type, fixed)).toBe(agentPoolName(type, fixed));
    }),
  );
});

it('a node resource group is named only where AKS could not, and then fits', () => {
  fc.assert(
    fc.property(clusterName, clusterName, (group, cluster) => {
      const usual = `MC_${group}_${cluster}_westeurope`;
      const needed = neededNodeResourceGroup(group, cluster, 'westeurope');
      expect(needed === undefined).toBe(usual.length <= 80);
      if (needed !== undefined) expect(needed).toMatch(/^[-\w]{1,80}$/);
    }),
  );
});

it('a name that is cut stays a name, and different from its neighbors', () => {
  const long = 'a'.repeat(62);

  expect(shortened('short')).toBe('short');
  expect(new Set([`${long}-b`, `${long}-c`, `${long}.d`].map((name) => shortened(name))).size).toBe(3);
  for (const name of [`${'a'.repeat(53)}-----------b`, `${'a-'.repeat(40)}b`]) {
    expect(shortened(name)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])$/);
  }
});

it('a GUID is the same for the same parts, and one', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(stableGuid(a, b)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(stableGuid(a, b)).toBe(stableGuid(a, b));
    }),
  );
});
