import { expect, test } from 'vitest';
import { decisionCatalog, decisionText, kindOf, renderDecision } from './decision-catalog.ts';
import { endDecisions } from './decisions/end.ts';
import { heldDecisions } from './decisions/held.ts';
import { launchDecisions } from './decisions/launch.ts';

const offering = { instanceType: 'small', zone: 'z1', capacityType: 'spot', price: 0.1 } as const;

test('no group of the catalog hides a code of another', () => {
  const codes = [launchDecisions, endDecisions, heldDecisions].flatMap((group) => Object.keys(group));

  expect(Object.keys(decisionCatalog)).toHaveLength(codes.length);
  expect(codes.filter((code) => !/^[a-z]+(-[a-z]+)*$/.test(code))).toEqual([]);
});

test('what went through a store reads as it did before', () => {
  const stored = JSON.parse(JSON.stringify({ attempt: 2, offering }));

  expect(renderDecision({ code: 'offering-chosen', fields: stored, text: '' })).toBe(
    decisionText('offering-chosen', { attempt: 2, offering }),
  );
});

test('a field can be shown as something else', () => {
  const fields = { attempt: 1, reason: 'r', kind: 'invalid', message: 'a long story', settleSeconds: 5 };
  const entry = { code: 'attempt-closed', fields, text: '' };

  expect(renderDecision(entry, { message: 'as above' })).toBe(
    renderDecision(entry).replace('a long story', 'as above'),
  );
});

test('names that every object has are no codes', () => {
  for (const name of ['toString', '__proto__', 'constructor']) expect(kindOf(name)).toBeUndefined();
});
