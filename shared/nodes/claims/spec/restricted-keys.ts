/** Labels that a claim can't ask for, and values of well-known labels that there are none of. */

import { labelDomain } from '../../../base/kubernetes/label-syntax.ts';
import { misspelled, type Problem, quoteInput } from '../../../base/problems.ts';
import type { Requirement } from './types.ts';
import { capacityTypes, labels } from './well-known.ts';

const openKeys: readonly string[] = [labels.capacityType, labels.nodePool];

/** The same keys that the CRD refuses: for claims that were stored under a laxer copy of it. */
export const restrictedKeyProblems = (written: readonly Requirement[], path: string): Problem[] =>
  written.flatMap(({ key }, index) => {
    const problem = restriction(key, `${path}[${index}].key`);
    return problem === undefined ? [] : [problem];
  });

function restriction(key: string, path: string): Problem | undefined {
  if (key === labels.hostname) {
    const message = `${key} differs from node to node, so it cannot select an instance type; use a zone or an instance type instead`;
    return { path, message };
  }
  const domain = labelDomain(key) || key;
  if (openKeys.includes(key) || !domain.endsWith('karpenter.sh')) return undefined;
  const message = `${quoteInput(key)} is set by the provisioner and cannot be a requirement; in this domain only ${openKeys.join(' and ')} can`;
  return misspelled(path, message, key, openKeys);
}

/** A list of capacity types of which there is none is a spelling mistake: nothing could ever be bought. */
export const unknownCapacityTypes = (written: readonly Requirement[], path: string): Problem[] =>
  written.flatMap(({ key, operator, values = [] }, index) => {
    if (key !== labels.capacityType || operator !== 'In' || values.length === 0) return [];
    if (values.some((value) => capacityTypes.some((known) => known === value))) return [];
    const message = `${quoteInput(values)} has no capacity type; use one of ${capacityTypes.join(', ')}`;
    return [misspelled(`${path}[${index}].values`, message, values[0]!, capacityTypes)];
  });
