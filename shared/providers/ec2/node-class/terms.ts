/**
 * Selector terms as questions to EC2. Terms are alternatives: what any of them finds counts. All ids go into one question and
 * each other term into one of its own, so that it is known which term found nothing.
 */
import type { Filter } from '@aws-sdk/client-ec2';
import { ok, type Result } from '../../../base/result.ts';

export interface Term {
  id?: string | undefined;
  name?: string | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
}

/** One question, and the terms that it is asked for. */
export interface Question<T extends Term> {
  filters: Filter[];
  /** More than one only where all of them are ids. */
  terms: T[];
}

export interface FilterNames {
  /** The filter that selects by id, such as `subnet-id`. */
  id: string;
  /** The one that selects by name, where there is one. */
  name?: string;
}

/**
 * Ids are filters too: EC2 refuses a list of ids when one of them is gone, and a filter finds the others.
 */
export function questionsOf<T extends Term>(terms: readonly T[], names: FilterNames): Question<T>[] {
  const byId = terms.filter((term) => term.id !== undefined);
  const others = terms.filter((term) => term.id === undefined);
  const idQuestion: Question<T>[] =
    byId.length === 0
      ? []
      : [
          {
            filters: [{ Name: names.id, Values: [...new Set(byId.flatMap((term) => term.id ?? []))].sort() }],
            terms: byId,
          },
        ];
  return [
    ...idQuestion,
    ...others.map((term) => ({
      filters: [
        ...(term.name === undefined || names.name === undefined ? [] : [{ Name: names.name, Values: [term.name] }]),
        ...tagFilters(term.tags ?? {}),
      ],
      terms: [term],
    })),
  ];
}

/** `*` stands for any value: then only the key is asked for. */
const tagFilters = (tags: Readonly<Record<string, string>>): Filter[] =>
  Object.entries(tags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) =>
      value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
    );

/** Everything that any question finds, each thing once. */
export async function askAll<T extends Term, Item extends { id: string }>(
  questions: readonly Question<T>[],
  ask: (question: Question<T>) => Promise<Result<Item[]>>,
): Promise<Result<Item[]>> {
  const found = new Map<string, Item>();
  // One after the other: a class with many terms must not use up the requests of everybody else.
  for (const question of questions) {
    const answer = await ask(question);
    if (!answer.ok) return answer;
    for (const item of answer.value) found.set(item.id, item);
  }
  return ok([...found.values()]);
}

/** For people: `spec.subnetSelectorTerms[0] (tags team=web)`. */
export function describeTerms(terms: readonly Readonly<Record<string, unknown>>[], path: string): string {
  return terms.map((term, index) => `${path}[${index}] (${describeTerm(term)})`).join(', ');
}

function describeTerm(term: Readonly<Record<string, unknown>>): string {
  return Object.entries(term)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${describeValue(value)}`)
    .join(', ');
}

const describeValue = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, one]) => `${key}=${String(one)}`)
        .join(' ')
    : String(value);
