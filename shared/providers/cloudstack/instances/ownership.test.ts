import { describe, expect, it } from 'vitest';
import type { CreateRequest, InstanceTags } from '../../contract.ts';
import { customIdFor } from './custom-id.ts';
import { displayNameFor, ownedByDisplayName, ownedByTags, tagsFor } from './ownership.ts';

const owner: InstanceTags = {
  deployment: 'main',
  cluster: '6f1c1a2e-0000-4000-8000-000000000001',
  claimUid: 'b8cbbf53-8e0f-4e5f-9d2c-000000000002',
  attempt: 3,
};

describe('the display name of a VM', () => {
  it.each(['web', 'a.b-c', 'größe (x)', 'has (poolwright a/1/b/c) in it', '', 'line\nend'])(
    'says for claim %j whose it is, and is read back',
    (claimName) => {
      expect(ownedByDisplayName(displayNameFor(owner, claimName))).toEqual({ owner, claimName });
    },
  );

  it('has the uid of the claim before that of the cluster', () => {
    const name = displayNameFor(owner, 'web');
    expect(name).toBe(`web (poolwright ${owner.claimUid}/3/main/${owner.cluster})`);
  });

  it('fits into its column, and then does not claim to know the name', () => {
    const name = displayNameFor(owner, 'x'.repeat(253));
    expect(name.length).toBeLessThanOrEqual(255);
    expect(ownedByDisplayName(name)).toEqual({ owner });
  });

  it('survives characters of a deployment that mean something else', () => {
    const strange = { ...owner, deployment: 'a/b (c)%d é' };
    expect(ownedByDisplayName(displayNameFor(strange, 'web'))?.owner).toEqual(strange);
  });

  it.each([undefined, '', 'web', 'web (poolwright a/0/b/c)', 'web (poolwright a/b/c)', 'web (poolwright a/1/b/c) x'])(
    'of %j says nothing',
    (text) => {
      expect(ownedByDisplayName(text)).toBeUndefined();
    },
  );
});

describe('tags', () => {
  const request = {
    owner,
    claimName: 'web',
    nodeClass: { name: 'default', spec: {} },
    claim: { labels: { 'karpenter.sh/nodepool': 'workers' } },
    offering: { instanceType: 'large', zone: 'z', capacityType: 'spot' },
  } as unknown as CreateRequest;

  it('say whose a VM is and what it was made as', () => {
    const tags = tagsFor(request, { hash: 'o t n', volumes: 1 }, { team: 'web', 'poolwright.dev/attempt': '99' });
    expect(tags).toMatchObject({
      team: 'web',
      'karpenter.sh/nodepool': 'workers',
      'karpenter.sh/nodeclaim': 'web',
      'karpenter.k8s.cloudstack/nodeclass': 'default',
      'poolwright.dev/made-of': 'o t n',
      'poolwright.dev/volumes': '1',
    });
    expect(ownedByTags(tags)).toEqual({ owner, claimName: 'web', instanceType: 'large', capacityType: 'spot' });
  });

  it('that are not whole say nothing', () => {
    const tags = tagsFor(request, { hash: '', volumes: 0 });
    for (const key of ['poolwright.dev/deployment', 'poolwright.dev/claim-uid', 'poolwright.dev/attempt']) {
      expect(ownedByTags({ ...tags, [key]: '' })).toBeUndefined();
    }
  });
});

describe('the id of a VM', () => {
  it('is a UUID that follows from claim and attempt alone', () => {
    const id = customIdFor(owner);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(customIdFor({ ...owner })).toBe(id);
    expect(customIdFor({ ...owner, attempt: 4 })).not.toBe(id);
    expect(customIdFor({ ...owner, claimUid: 'other' })).not.toBe(id);
  });
});
