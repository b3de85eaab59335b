import { expect, test } from 'vitest';
import { detailIn } from './decision-detail.ts';

test('candidates after the chosen one say how much more they cost, where both prices are known', () => {
  const detail = {
    candidates: ['a', 'b', 'c', 'd'],
    prices: [0.1, 0.15, null, 0.1],
    rejections: ['x: too small'],
    rejected: 3,
  };

  expect(detailIn(detail)).toEqual({
    others: [{ text: 'b', dearerBy: 0.05 }, { text: 'c' }, { text: 'd' }],
    rejections: ['x: too small'],
    rejected: 3,
  });
});

test('a detail of a version that kept no prices still names the candidates', () => {
  expect(detailIn({ candidates: ['a, 0.1 per hour', 'b, 0.2 per hour'] }).others).toEqual([
    { text: 'b, 0.2 per hour' },
  ]);
});

test.each([[undefined], [null], ['text'], [{ provider: 'sim', call: 7 }], [[]]])('%j has nothing to show', (detail) => {
  expect(detailIn(detail)).toEqual({ others: [], rejections: [] });
});
