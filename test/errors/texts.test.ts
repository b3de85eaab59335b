/** The texts of the catalog, as people read them. */
import { describe, expect, it } from 'vitest';
import { errorGroups, errors, findError } from '../../shared/observe/errors/catalog.ts';
import { codeOfKind, kindOfCode } from '../../shared/observe/errors/code-of-kind.ts';

describe.each(Object.entries(errors))('%s', (code, { cause, cure, more, seen, alias = [] }) => {
  it('is a reason that Kubernetes accepts', () => {
    expect(code).toMatch(/^[A-Z][A-Za-z]{2,60}$/);
  });

  it('says cause and cure in whole sentences', () => {
    expect(cause).toMatch(/^[A-Z"].*\.$/s);
    expect(cure).toMatch(/^([A-Z]|`|\/).*\.$/s);
    expect(cause.split(' ').length).toBeGreaterThan(3);
    // They stand in cells of tables, and on a terminal.
    for (const text of [cause, cure, more ?? '']) expect(text).not.toMatch(/[|\p{Cc}]/u);
    expect(cause.length).toBeLessThan(180);
  });

  it('is seen somewhere, and under no name of another', () => {
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen).size).toBe(seen.length);
    // A code that was spelled differently once is found by both spellings, and is still the same entry.
    for (const name of alias) expect([undefined, findError(code)]).toContain(findError(name));
  });
});

it('has every code in one group only', () => {
  const codes = errorGroups.flatMap(({ entries }) => Object.keys(entries));
  expect(codes.length).toBe(Object.keys(errors).length);
  expect(new Set(codes.map((code) => code.toLowerCase())).size).toBe(codes.length);
});

it('does not take what every object has for a code', () => {
  expect(findError('constructor')).toBeUndefined();
  expect(findError('__proto__')).toBeUndefined();
});

it.each([
  ['unknown-claim', 'UnknownClaim'],
  ['not-a-batch', 'NotABatch'],
  ['internal', 'Internal'],
])('turns the kind %s of a problem into %s and back', (kind, code) => {
  expect(codeOfKind(kind)).toBe(code);
  expect(kindOfCode(code)).toBe(kind);
});
