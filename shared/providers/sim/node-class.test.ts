import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { parseSimNodeClass } from './node-class.ts';

describe('a SimNodeClass', () => {
  test('may say nothing at all, or everything', () => {
    const everything = {
      image: 'a',
      bootSeconds: 0,
      tags: { team: 'web' },
      deadlines: { launch: '5m', registration: '1h', initialization: '90s' },
      userData: '#!/bin/sh',
    };

    expect(parseSimNodeClass(null)).toEqual({ ok: true, value: {} });
    expect(parseSimNodeClass({})).toEqual({ ok: true, value: {} });
    expect(parseSimNodeClass(everything)).toEqual({ ok: true, value: everything });
  });

  test.each<[string, Json, string, string]>([
    ['an unknown field', { imag: 'a' }, 'spec.imag', 'did you mean "image"?'],
    ['an unknown deadline', { deadlines: { lunch: '5m' } }, 'spec.deadlines.lunch', 'did you mean "launch"?'],
    ['a wrong type', { bootSeconds: 'soon' }, 'spec.bootSeconds', '"soon"'],
    ['a negative time', { bootSeconds: -1 }, 'spec.bootSeconds', '-1'],
    ['an empty image', { image: '' }, 'spec.image', '""'],
    ['a deadline that is no duration', { deadlines: { launch: '5 days' } }, 'spec.deadlines.launch', '"5 days"'],
    [
      'a tag of ours',
      { tags: { 'poolwright.dev/attempt': '9' } },
      'spec.tags["poolwright.dev/attempt"]',
      'another name',
    ],
    ['something that is no object', 'small', 'spec', '"small"'],
  ])('is refused for %s: where, what, and what to do', (_, spec, path, part) => {
    const parsed = parseSimNodeClass(spec);

    if (parsed.ok) expect.fail('it was accepted');
    expect(parsed.problems).toHaveLength(1);
    expect(parsed.problems[0]?.path).toBe(path);
    expect(parsed.problems[0]?.message).toContain(part);
  });
});
