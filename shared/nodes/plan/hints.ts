/** What is legal in a claim and probably not meant: names and values that are nearly those that the provider knows. */

import { nearest } from '../../base/nearest.ts';
import { quoteInput } from '../../base/problems.ts';
import type { Catalog } from '../claims/choice/catalog.ts';
import type { NodeClaimSpec } from '../claims/spec/types.ts';
import { normalizeLabelKey, wellKnownLabels } from '../claims/spec/well-known.ts';

const mostHints = 5;
/** Each is held against every name there is, and a cloud has a thousand: nobody misspells more than so many. */
const mostCompared = 50;

/** Each with its path; `at` stands before the paths. */
export function planHints(spec: NodeClaimSpec, catalog: Catalog, at: string): string[] {
  const hints = misspelled(spec, catalog, at).slice(0, mostHints);
  // What pods need is asked for by the claims themselves, never by the template of a pool.
  if (at === '' && Object.keys(spec.resources?.requests ?? {}).length === 0 && hints.length < mostHints) {
    hints.push('spec.resources.requests: nothing is requested, so the cheapest instance type that fits is used');
  }
  return hints;
}

function misspelled({ requirements }: NodeClaimSpec, catalog: Catalog, at: string): string[] {
  const labels = new Set([...catalog.values.keys(), ...wellKnownLabels]);
  let compared = 0;
  const near = (written: string, known: ReadonlySet<string>): string | undefined =>
    compared++ < mostCompared ? nearest(written, known) : undefined;
  return requirements.flatMap(({ key: written, operator, values = [] }, index) => {
    const path = `${at}spec.requirements[${index}]`;
    const key = normalizeLabelKey(written);
    const known = catalog.values.get(key);
    if (known === undefined) {
      const meant = wellKnownLabels.has(key) ? undefined : near(key, labels);
      const own = `${path}.key: ${quoteInput(key)} is a custom label and does not affect the choice of instance type`;
      return meant === undefined ? [] : [`${own}; did you mean ${quoteInput(meant)}?`];
    }
    if (operator !== 'In' && operator !== 'NotIn') return [];
    return values.flatMap((value) => {
      const meant = known.has(value) ? undefined : near(value, known);
      const none = `${path}.values: no offering has ${quoteInput(value)} as its ${key}`;
      return meant === undefined ? [] : [`${none}; did you mean ${quoteInput(meant)}?`];
    });
  });
}
