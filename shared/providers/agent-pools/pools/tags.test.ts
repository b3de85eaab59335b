import { describe, expect, test } from 'vitest';
import { describeProblems } from '../../../base/problems.ts';
import { hasOwnerTags, taggedOwner, tagProblems, tagsOf } from './tags.ts';

const owner = { deployment: 'main', cluster: 'c-uid', claimUid: 'claim-uid', attempt: 3 };

describe('whose a pool is', () => {
  test('is read back from its tags, in whatever case Azure returns them', () => {
    const tags = Object.fromEntries(
      Object.entries(tagsOf(owner, 'web')).map(([key, value]) => [key.toUpperCase(), value]),
    );

    expect(taggedOwner(tags)).toEqual({ owner, claimName: 'web' });
  });

  test.each(['poolwright-deployment', 'poolwright-cluster', 'poolwright-claim-uid', 'poolwright-attempt'])(
    'is unknown without the tag %s, and then nobody else made it either',
    (missing) => {
      const { [missing]: _, ...tags } = tagsOf(owner, 'web');

      expect(taggedOwner(tags)).toBeUndefined();
      expect(hasOwnerTags(tags)).toBe(true);
    },
  );

  test.each(['', '-1', '1.5', 'x', '99999999999999999999'])('is unknown with %j as the attempt', (attempt) => {
    expect(taggedOwner({ ...tagsOf(owner, 'web'), 'poolwright-attempt': attempt })).toBeUndefined();
  });
});

describe('tags of a node class', () => {
  test('may be what Azure accepts', () => {
    const tags = { team: 'web', 'cost center': '4711 (a/b)', ['x'.repeat(512)]: 'y'.repeat(256), é: '' };
    expect(tagProblems(tags, 'spec.tags')).toEqual([]);
  });

  test.each([
    ['a/b', '', 'must not contain any of < > % & \\ ? /'],
    ['a\\b', '', 'must not contain any of'],
    ['x'.repeat(513), '', 'has 1 to 512 characters'],
    ['', '', 'has 1 to 512 characters'],
    ['a', 'y'.repeat(257), 'has at most 256 characters'],
    ['Poolwright-Claim', '', 'identify the owner of a pool'],
    ['azureX', '', 'Azure reserves names'],
  ])('are refused with the name %j and the value %j', (name, value, expected) => {
    const said = describeProblems(tagProblems({ [name]: value }, 'spec.tags'));

    expect(said).toContain('spec.tags[');
    expect(said).toContain(expected);
  });

  test('are refused when two names are one to Azure', () => {
    expect(describeProblems(tagProblems({ Team: 'a', team: 'b' }, 'spec.tags'))).toContain('the same name as "Team"');
  });

  test('leave room for the five that say whose the pool is', () => {
    const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, '']));

    expect(tagProblems(tags(45), 'spec.tags')).toEqual([]);
    expect(describeProblems(tagProblems(tags(46), 'spec.tags'))).toContain('46 tags are too many');
  });
});
