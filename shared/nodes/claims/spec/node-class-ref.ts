/** Whether a claim's node class can be one of ours: a kind that is nearly right is a mistake, any other is somebody else's. */
import { nearest } from '../../../base/nearest.ts';
import { misspelled, type Problem, quoteInput } from '../../../base/problems.ts';

export interface KnownNodeClass {
  readonly group: string;
  readonly kind: string;
}

const path = 'spec.nodeClassRef';

/** `foreign`: the claim is not ours to judge. */
export function nodeClassProblems(ref: unknown, known: readonly KnownNodeClass[] | undefined): Problem[] | 'foreign' {
  // What is no reference at all is left to the check of shapes.
  if (typeof ref !== 'object' || ref === null) return [];
  const { group = '', kind, name } = ref as { group?: unknown; kind?: unknown; name?: unknown };
  if (typeof group !== 'string' || typeof kind !== 'string') return [];
  const problems: Problem[] = [];
  if (kind === '') problems.push({ path: `${path}.kind`, message: 'is empty; set it to the kind of a node class' });
  if (name === '') problems.push({ path: `${path}.name`, message: 'is empty; set it to the name of a node class' });
  if (known === undefined || kind === '') return problems;
  // Claims from before karpenter.sh/v1 carry no group.
  if (known.some((one) => one.kind === kind && (group === '' || one.group === group))) return problems;

  const kindsOfGroup = known.filter((one) => one.group === group).map((one) => one.kind);
  if (kindsOfGroup.length > 0) {
    const message = `there is no node class ${quoteInput(kind)} in ${group}; use one of ${kindsOfGroup.join(', ')}`;
    return [...problems, misspelled(`${path}.kind`, message, kind, kindsOfGroup)];
  }
  const groupsOfKind = known.filter((one) => one.kind === kind).map((one) => one.group);
  const meant = nearest(group, groupsOfKind);
  if (meant !== undefined) {
    const message = `there is no node class ${kind} in ${quoteInput(group)}; did you mean "${meant}"?`;
    return [...problems, { path: `${path}.group`, message, suggestion: meant }];
  }
  return 'foreign';
}
