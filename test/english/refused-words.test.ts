import { describe, expect, it } from 'vitest';
import { catalogs } from './catalogs.ts';
import { refusedIn, refusedWords } from './refused-words.ts';

describe.each(Object.entries(catalogs))('the texts of %s', (_, { checked, texts }) => {
  it('are there', async () => {
    expect((await texts()).length).toBeGreaterThan(5);
  });

  it.runIf(checked)('have no refused word', async () => {
    const found = (await texts()).flatMap(([place, text]) =>
      refusedIn(text).map(({ word, instead }) => `${place}: "${word}" in "${text}"; write: ${instead}`),
    );
    expect(found).toEqual([]);
  });
});

describe('a refused word', () => {
  it('is found whatever its case, and across the end of a line', () => {
    expect(refusedIn('Nobody knows').map(({ word }) => word)).toEqual(['nobody']);
    expect(refusedIn('the offering is sold\n   out').map(({ word }) => word)).toEqual(['sold out']);
  });

  it('is not found in another word', () => {
    expect(refusedIn('secure, recommended, besides')).toEqual([]);
  });

  it('is found, but not where the same letters are plain English', () => {
    expect(refusedIn('this is no pod').map(({ word }) => word)).toEqual(['is no']);
    expect(refusedIn('the claim is no longer there, and there is no node')).toEqual([]);
  });

  it('is not what another one tells to write instead', () => {
    for (const instead of Object.values(refusedWords)) expect(refusedIn(instead)).toEqual([]);
  });
});
