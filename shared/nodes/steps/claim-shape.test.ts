import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StoredClaim, viewClaim } from './claim-access.ts';
import { shapeClaim } from './claim-shape.ts';

const claim = (more: object = {}): StoredClaim =>
  ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] },
    ...more,
  }) as StoredClaim;

describe('the shape of a claim', () => {
  it('is left as it is when there is nothing to mend', () => {
    const whole = claim({
      status: {
        providerID: 'p',
        nodeName: 'n',
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'r', message: '' },
        ],
      },
    });
    expect(shapeClaim(whole)).toBe(whole);
    const bare = claim();
    expect(shapeClaim(bare)).toBe(bare);
  });

  it('knows the node class of a claim that is so old that it names no group', () => {
    const old = claim({ spec: { nodeClassRef: { kind: 'KaitoNodeClass', name: 'default' }, requirements: [] } });
    expect(shapeClaim(old).spec.nodeClassRef).toEqual({ group: '', kind: 'KaitoNodeClass', name: 'default' });
  });

  it('keeps what is good beside what is not, and every wish of the spec', () => {
    const good = { type: 'Launched', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const odd = claim({
      metadata: { ...claim().metadata, annotations: { a: 'x', b: 5 }, labels: 'none', finalizers: ['f', null] },
      spec: { nodeClassRef: 'mine', requirements: 'any', taints: 7 },
      status: { conditions: [good, { type: 5 }, 'Ready'], providerID: 4, nodeName: 'n', capacity: { cpu: '1' } },
    });
    expect(shapeClaim(odd)).toMatchObject({
      metadata: { name: 'a', annotations: { a: 'x' }, labels: {}, finalizers: ['f'], ownerReferences: [] },
      spec: { nodeClassRef: { group: '', kind: '', name: '' }, requirements: 'any', taints: 7 },
      status: { conditions: [good], nodeName: 'n', capacity: { cpu: '1' } },
    });
    expect(shapeClaim(odd).status?.providerID).toBeUndefined();
  });

  it('has one condition of a type: the one that is True, else the first', () => {
    const said = (type: string, status: string, message: string) => ({
      ...{ type, status, reason: type, message },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const doubled = claim({
      status: {
        conditions: [
          said('Launched', 'False', 'a'),
          said('Registered', 'Unknown', 'b'),
          said('Launched', 'True', 'c'),
          said('Registered', 'False', 'd'),
          said('Launched', 'True', 'e'),
        ],
      },
    });
    expect(shapeClaim(doubled).status?.conditions?.map(({ message }) => message)).toEqual(['c', 'b']);
    expect(viewClaim(shapeClaim(doubled)).launched).toBe(true);
  });

  it('can always be looked at, whatever stands in the object', () => {
    const anything = fc.option(fc.jsonValue({ maxDepth: 3 }), { nil: undefined });
    const metadata = fc.record({
      annotations: anything,
      labels: anything,
      finalizers: anything,
      ownerReferences: anything,
    });
    fc.assert(
      fc.property(metadata, anything, anything, (odd, spec, status) => {
        const shaped = shapeClaim(claim({ metadata: { ...claim().metadata, ...odd }, spec, status }));
        expect(viewClaim(shaped).uid).toBe('u');
        expect(shapeClaim(shaped)).toEqual(shaped);
        expect(typeof shaped.spec.nodeClassRef.kind).toBe('string');
      }),
    );
  });
});
