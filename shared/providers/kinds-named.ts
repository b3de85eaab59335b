/** Which kinds of node class a word means, as kubectl takes them: the kind, its plural, either with its group. */
import type { NodeClassKind } from './contract.ts';

/** All of them without a word; none for a word that is no kind. */
export function kindsNamed(kinds: readonly NodeClassKind[], word: string | undefined): NodeClassKind[] {
  if (word === undefined) return [...kinds];
  const wanted = word.toLowerCase();
  return kinds.filter((kind) => namesOf(kind).includes(wanted));
}

/** In small letters. The first is what `kubectl -o name` prints. */
export function namesOf({ kind, plural, group }: NodeClassKind): string[] {
  const singular = kind.toLowerCase();
  return [`${singular}.${group}`, singular, plural, `${plural}.${group}`];
}
